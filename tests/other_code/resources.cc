// std::pmr: containers of the block's own over resources of the library.
#include <array>
#include <map>
#include <memory_resource>
#include <string>
#include <vector>

#include "typed_tests.h"

namespace perdure::containers {
namespace {

struct Resources {
  using Type = std::string;

  static Seen apply(Type& text, const Step& step) {
    if (step.choice % 3 == 2) return pooled(text, step);
    std::array<std::byte, 200> buffer;
    std::pmr::monotonic_buffer_resource resource(buffer.data(), buffer.size());
    std::pmr::vector<long> numbers(&resource);
    for (unsigned i = 0; i < step.small; ++i) numbers.push_back(step.number + i);
    std::pmr::string copy(text, &resource);
    copy += step.text;
    text = copy.substr(0, 200);
    return seen(text) + (numbers.empty() ? 0 : seen(numbers.back()));
  }

 private:
  static Seen pooled(Type& text, const Step& step) {
    std::pmr::unsynchronized_pool_resource resource;
    std::pmr::map<long, std::pmr::string> map(&resource);
    for (unsigned i = 0; i < step.small % 9; ++i) map.emplace(i * step.number, step.text);
    map.erase(0);
    Seen result = map.size();
    for (const auto& [key, value] : map) result = result * 31 + static_cast<Seen>(key) + value.size();
    text = std::to_string(result);
    return result;
  }
};

INSTANTIATE_TYPED_TEST_SUITE_P(Resources, Containers, ::testing::Types<Resources>);

}  // namespace
}  // namespace perdure::containers
