// Boost.Container, Boost.Intrusive and Boost.Heap in a pool.
#include <boost/container/flat_map.hpp>
#include <boost/container/small_vector.hpp>
#include <boost/container/stable_vector.hpp>
#include <boost/heap/pairing_heap.hpp>
#include <boost/heap/priority_queue.hpp>
#include <boost/intrusive/list.hpp>
#include <string>

#include "typed_tests.h"

namespace perdure::containers {
namespace {

struct FlatMap {
  using Type = boost::container::flat_map<unsigned, std::string>;
  static Seen apply(Type& map, const Step& step) {
    if (step.choice % 3 == 0) return map.erase(step.small);
    map[step.small] += step.text;
    if (map[step.small].size() > 100) map[step.small].clear();
    return map.size();
  }
};

template <class Vector>
struct Sequence {
  using Type = Vector;
  static Seen apply(Type& vector, const Step& step) {
    if (vector.size() > 40) vector.erase(vector.begin() + 3, vector.begin() + 20);
    if (step.choice % 3 == 0 && !vector.empty()) return vector.pop_back(), vector.size();
    const auto position = static_cast<std::ptrdiff_t>(step.small % (vector.size() + 1));
    vector.insert(vector.begin() + position, step.text);
    return seen(vector.back());
  }
};

struct Heap {
  using Type = boost::heap::pairing_heap<long>;
  static Seen apply(Type& heap, const Step& step) {
    if (step.choice % 3 == 0 && !heap.empty()) {
      const long top = heap.top();
      heap.pop();
      return seen(top);
    }
    heap.push(step.number);
    return heap.size();
  }
};

struct Queue {
  using Type = boost::heap::priority_queue<std::string>;
  static Seen apply(Type& queue, const Step& step) {
    if (step.choice % 3 != 0 || queue.empty()) return queue.push(step.text), queue.size();
    const std::string top = queue.top();
    queue.pop();
    return seen(top);
  }
};

struct Hooked : boost::intrusive::list_base_hook<> {
  explicit Hooked(long number) : number(number) {}
  long number;
};

/// Owns what the intrusive list holds.
class Intrusive {
 public:
  Intrusive() = default;
  Intrusive(const Intrusive&) = delete;
  ~Intrusive() {
    list_.clear_and_dispose([](Hooked* hooked) { delete hooked; });
  }
  Seen change(const Step& step) {
    if (step.choice % 3 == 0)
      list_.remove_and_dispose_if([&](const Hooked& hooked) { return hooked.number % 5 == step.small % 5; },
                                  [](Hooked* hooked) { delete hooked; });
    else
      list_.push_back(*new Hooked(step.number));
    if (step.choice % 7 == 0) list_.reverse();
    return list_.size();
  }
  bool operator==(const Intrusive& other) const {
    return std::equal(list_.begin(), list_.end(), other.list_.begin(), other.list_.end(),
                      [](const Hooked& left, const Hooked& right) { return left.number == right.number; });
  }

 private:
  boost::intrusive::list<Hooked> list_;
};

struct List {
  using Type = Intrusive;
  static Seen apply(Type& list, const Step& step) { return list.change(step); }
};

using Subjects = ::testing::Types<FlatMap, Sequence<boost::container::stable_vector<std::string>>,
                                  Sequence<boost::container::small_vector<std::string, 3>>, Heap, Queue, List>;
INSTANTIATE_TYPED_TEST_SUITE_P(BoostContainers, Containers, Subjects);

}  // namespace
}  // namespace perdure::containers
