// The functions between numbers and strings.
#include <bit>
#include <cstdint>
#include <stdexcept>
#include <string>
#include <vector>

#include "typed_tests.h"

namespace perdure::containers {
namespace {

/// Numbers there and back.
struct Numbers {
  using Type = std::vector<std::string>;

  static Seen apply(Type& texts, const Step& step) {
    if (texts.size() > 60) texts.clear();
    switch (step.choice % 6) {
      case 0:
        return texts.emplace_back(std::to_string(-step.number)), 1;
      case 1:
        return texts.emplace_back(std::to_string(step.number * 1'000'000'000UL)), 1;
      case 2:
        return texts.emplace_back("  0x" + std::to_string(step.small) + " and more"), 1;
      case 3:
        return texts.emplace_back(std::to_string(static_cast<double>(step.number) * 1e-3 + 1e200 * step.small)), 1;
      case 4:
        return texts.emplace_back(step.small % 2 == 0 ? "no number" : "99999999999999999999"), 1;
      default:
        return read(texts, step.small);
    }
  }

 private:
  static Seen read(const Type& texts, unsigned base) {
    Seen sum = 0;
    for (const std::string& text : texts) {
      try {
        std::size_t length = 0;
        const long number = std::stol(text, &length, base % 3 == 0 ? 16 : 0);
        sum = sum * 31 + static_cast<Seen>(number) + length;
        sum = sum * 31 + static_cast<Seen>(std::stoi(text));
        sum = sum * 31 + std::bit_cast<std::uint64_t>(std::stod(text, &length)) + length;
      } catch (const std::invalid_argument&) {
        sum += 2;
      } catch (const std::out_of_range&) {
        sum += 3;
      }
    }
    return sum;
  }
};

INSTANTIATE_TYPED_TEST_SUITE_P(Numbers, Containers, ::testing::Types<Numbers>);

}  // namespace
}  // namespace perdure::containers
