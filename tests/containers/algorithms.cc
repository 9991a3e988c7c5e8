// <algorithm> and <numeric> over elements in the pool.
#include <algorithm>
#include <functional>
#include <numeric>
#include <string>
#include <vector>

#include "typed_tests.h"

namespace perdure::containers {
namespace {

/// The algorithms over a vector of `Element`, which `make` makes of a step.
template <class Element, Element (*make)(const Step&)>
struct Algorithms {
  using Type = std::vector<Element>;

  static Seen apply(Type& v, const Step& step) {
    if (v.size() < 40) return v.push_back(make(step)), 1;
    const auto middle = v.begin() + static_cast<long>(step.small % v.size());
    switch (step.choice % 4) {
      case 0:
        return change_order(v, middle, step);
      case 1:
        return change_elements(v, middle, step);
      case 2:
        return look(v, middle, step);
      default:
        return combine(v, middle, step);
    }
  }

 private:
  using Iterator = typename Type::iterator;

  static Seen change_order(Type& v, Iterator middle, const Step& step) {
    switch (step.number % 11) {
      case 0:
        return std::sort(v.begin(), v.end()), 0;
      case 1:
        return std::sort(v.rbegin(), v.rend(), std::greater<>()), 0;
      case 2:
        return std::stable_sort(v.begin(), middle), 0;
      case 3:
        return std::partial_sort(v.begin(), middle, v.end()), seen(v.front());
      case 4:
        return std::nth_element(v.begin(), middle, v.end()), std::sort(v.begin(), v.end()), seen(*middle);
      case 5:
        return static_cast<Seen>(std::rotate(v.begin(), middle, v.end()) - v.begin());
      case 6:
        return std::reverse(v.begin(), middle), 0;
      case 7:
        return std::next_permutation(v.begin(), v.end()) ? 1 : 0;
      case 8: {
        const auto half = std::stable_partition(v.begin(), v.end(), [&](const Element& e) { return e < make(step); });
        return static_cast<Seen>(half - v.begin());
      }
      case 9: {
        std::make_heap(v.begin(), v.end());
        std::pop_heap(v.begin(), v.end());
        v.back() = make(step);
        std::push_heap(v.begin(), v.end());
        std::sort_heap(v.begin(), v.end());
        return seen(v.back());
      }
      default:
        return std::swap_ranges(v.begin(), v.begin() + 10, v.begin() + 20), 0;
    }
  }

  static Seen change_elements(Type& v, Iterator middle, const Step& step) {
    switch (step.number % 9) {
      case 0:
        return std::copy(v.begin() + 5, v.begin() + 20, v.begin() + 2), 0;
      case 1:
        return std::copy_backward(v.begin(), v.begin() + 20, v.begin() + 25), 0;
      case 2:
        return std::fill(v.begin(), v.begin() + 3, make(step)), 0;
      case 3:
        return std::replace(v.begin(), v.end(), *middle, make(step)), 0;
      case 4:
        return std::transform(v.begin(), v.begin() + 4, v.begin(), [](const Element& e) { return e + e; }), 0;
      case 5:
        return v.erase(std::unique(v.begin(), v.end()), v.end()), v.size();
      case 6:
        return v.erase(std::remove(v.begin(), v.end(), make(step)), v.end()), v.size();
      case 7:
        return std::generate(middle, v.end(), [&] { return make(step); }), v.size();
      default:
        return v.resize(v.size() / 2 + 10), v.size();
    }
  }

  static Seen look(const Type& v, Iterator middle, const Step& step) {
    switch (step.number % 8) {
      case 0:
        return static_cast<Seen>(std::find(v.begin(), v.end(), make(step)) - v.begin());
      case 1:
        return static_cast<Seen>(std::count_if(v.begin(), v.end(), [&](const Element& e) { return e < *middle; }));
      case 2:
        return seen(std::accumulate(v.begin(), v.begin() + 8, Element()));
      case 3:
        return seen(*std::max_element(v.begin(), v.end())) + seen(*std::min_element(v.begin(), v.end()));
      case 4:
        return std::equal(v.begin(), v.begin() + 9, v.begin() + 1) ? 1 : 0;
      case 5:
        return static_cast<Seen>(std::adjacent_find(v.begin(), v.end()) - v.begin());
      case 6:
        return std::all_of(v.begin(), v.end(), [&](const Element& e) { return e < *middle; }) ? 1 : 0;
      default:
        return std::lexicographical_compare(v.begin(), v.end(), v.begin() + 1, v.end()) ? 1 : 0;
    }
  }

  static Seen combine(Type& v, Iterator middle, const Step& step) {
    std::sort(v.begin(), middle);
    std::sort(middle, v.end());
    const auto first_size = middle - v.begin();
    switch (step.number % 4) {
      case 0:
        return std::inplace_merge(v.begin(), middle, v.end()), seen(v.front());
      case 1: {
        Type both;
        std::set_union(v.begin(), middle, middle, v.end(), std::back_inserter(both));
        v.swap(both);
        return v.size();
      }
      case 2:
        return std::binary_search(v.begin(), middle, make(step)) ? 1 : 0;
      default: {
        Type merged(v.size());
        std::merge(v.begin(), middle, middle, v.end(), merged.begin());
        v = std::move(merged);
        return static_cast<Seen>(std::lower_bound(v.begin(), v.begin() + first_size, make(step)) - v.begin());
      }
    }
  }
};

int integer(const Step& step) { return static_cast<int>(step.number % 50); }
std::string text(const Step& step) { return step.text.substr(0, 20); }

using Subjects = ::testing::Types<Algorithms<int, integer>, Algorithms<std::string, text>>;
INSTANTIATE_TYPED_TEST_SUITE_P(Algorithms, Containers, Subjects);

}  // namespace
}  // namespace perdure::containers
