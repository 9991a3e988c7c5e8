// std::vector, deque, list, forward_list, array.
#include <array>
#include <deque>
#include <forward_list>
#include <list>
#include <string>
#include <vector>

#include "typed_tests.h"

namespace perdure::containers {
namespace {

/// Vectors and deques. They are kept from growing without end.
template <class Sequence>
struct RandomAccess {
  using Type = Sequence;
  using Element = typename Sequence::value_type;

  static Seen apply(Type& sequence, const Step& step) {
    const auto position = sequence.begin() + static_cast<long>(step.small % (sequence.size() + 1));
    if (sequence.size() > 80) return sequence.erase(sequence.begin() + 5, position), sequence.resize(40), 1;
    switch (step.choice % 12) {
      case 0:
        return position == sequence.end() ? 0 : static_cast<Seen>(sequence.erase(position) - sequence.begin());
      case 1:
        return static_cast<Seen>(sequence.insert(position, element(step)) - sequence.begin());
      case 2:
        return sequence.insert(position, 3, element(step)), sequence.size();
      case 3:
        return sequence.emplace(position, element(step)), sequence.size();
      case 4:
        return sequence.shrink_to_fit(), sequence.size();
      case 5:
        return sequence.resize(step.small, element(step)), sequence.size();
      case 6:
        return sequence.empty() ? 0 : (sequence.pop_back(), sequence.size());
      case 7:
        return at(sequence, step.small);
      case 8:
        return copy(sequence, step);
      case 9:
        return std::erase(sequence, element(step));
      default:
        return sequence.push_back(element(step)), sequence.size();
    }
  }

 private:
  static Element element(const Step& step) {
    if constexpr (std::is_same_v<Element, std::string>)
      return step.text;
    else
      return static_cast<Element>(step.number % 30);
  }

  static Seen at(Type& sequence, unsigned index) {
    try {
      return sequence.at(index) == sequence.front() ? 1 : 0;
    } catch (const std::exception&) {
      return 3;
    }
  }

  static Seen copy(Type& sequence, const Step& step) {
    Type copy(sequence.rbegin(), sequence.rend());
    copy.assign({element(step), element(step)});
    copy.insert(copy.end(), sequence.begin(), sequence.end());
    swap(sequence, copy);
    return copy < sequence ? 1 : 0;
  }
};

struct DequeFromBothEnds {
  using Type = std::deque<std::string>;

  static Seen apply(Type& deque, const Step& step) {
    switch (step.choice % 6) {
      case 0:
        return deque.empty() ? 0 : (deque.pop_front(), deque.size());
      case 1:
        return deque.empty() ? 0 : (deque.pop_back(), deque.size());
      case 2:
        return seen(deque.emplace_back(step.text));
      default:
        return seen(deque.emplace_front(step.text));
    }
  }
};

struct List {
  using Type = std::list<std::string>;

  static Seen apply(Type& list, const Step& step) {
    switch (step.choice % 12) {
      case 0:
        return list.sort(), list.size();
      case 1:
        return list.reverse(), list.size();
      case 2:
        return list.remove(step.text);
      case 3:
        return list.unique();
      case 4:
        return list.empty() ? 0 : (list.pop_front(), list.size());
      case 5:
        return splice(list, step);
      case 6:
        return merge(list, step);
      case 7:
        return list.remove_if([&](const std::string& text) { return text.size() > step.small; });
      case 8:
        return list.push_front(step.text), seen(list.back());
      default:
        return list.push_back(step.text), seen(list.front());
    }
  }

 private:
  static Seen splice(Type& list, const Step& step) {
    Type other(3, step.text);
    other.emplace_back("last");
    list.splice(list.begin(), other, std::next(other.begin()));
    list.splice(list.end(), other, other.begin(), std::prev(other.end()));
    list.swap(other);
    list.splice(list.begin(), other);
    return list.size() + other.size();
  }

  static Seen merge(Type& list, const Step& step) {
    Type other{"b", "a", step.text};
    other.sort();
    list.sort(std::greater<>());
    list.reverse();
    list.merge(other);
    return other.size();
  }
};

struct ForwardList {
  using Type = std::forward_list<long>;

  static Seen apply(Type& list, const Step& step) {
    switch (step.choice % 9) {
      case 0:
        return list.sort(), 0;
      case 1:
        return list.reverse(), 0;
      case 2:
        return list.remove(step.number % 30);
      case 3:
        return list.unique();
      case 4:
        return list.empty() ? 0 : (list.pop_front(), 1);
      case 5:
        return list.empty() ? 0 : seen(*list.insert_after(list.begin(), step.number % 30));
      case 6: {
        Type other{1, 2, step.number % 30};
        list.splice_after(list.before_begin(), other);
        return other.empty() ? 1 : 0;
      }
      default:
        return list.push_front(step.number % 30), seen(list.front());
    }
  }
};

struct Array {
  using Type = std::array<std::string, 6>;

  static Seen apply(Type& array, const Step& step) {
    std::string& element = array[step.small % array.size()];
    switch (step.choice % 4) {
      case 0:
        return std::swap(array.front(), element), seen(array.back());
      case 1:
        array.fill(step.text);
        return array.size();
      case 2: {
        Type copy = array;
        copy.at(2) += "copied";
        array = copy;
        return array <= copy ? 1 : 0;
      }
      default:
        element = step.text;
        return seen(element);
    }
  }
};

using Subjects = ::testing::Types<RandomAccess<std::vector<std::string>>, RandomAccess<std::vector<long>>,
                                  RandomAccess<std::vector<char>>, RandomAccess<std::deque<std::string>>,
                                  DequeFromBothEnds, List, ForwardList, Array>;
INSTANTIATE_TYPED_TEST_SUITE_P(Sequences, Containers, Subjects);

}  // namespace
}  // namespace perdure::containers
