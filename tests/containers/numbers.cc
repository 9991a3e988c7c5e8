// The functions between numbers and strings.
#include <bit>
#include <charconv>
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
    switch (step.choice % 7) {
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
      case 5:
        return append_characters(texts, static_cast<double>(step.number) / 7, static_cast<int>(step.small % 9)), 1;
      default:
        return read(texts, step.small);
    }
  }

 private:
  /// In the pool: the text that is written to is an element.
  static void append_characters(Type& texts, double number, int precision) {
    std::string& text = texts.emplace_back(60, '.');
    char* const begin = text.data();
    char* const end = begin + text.size();
    char* next = std::to_chars(begin, end, number).ptr;
    next = std::to_chars(next, end, static_cast<float>(number), std::chars_format::scientific).ptr;
    next = std::to_chars(next, end, number, std::chars_format::fixed, precision).ptr;
    text.resize(static_cast<std::size_t>(next - begin));
  }

  static Seen read_characters(const std::string& text) {
    long whole = 0;
    Seen sum = static_cast<Seen>(std::from_chars(text.data(), text.data() + text.size(), whole).ptr - text.data());
#ifndef _LIBCPP_VERSION
    double value = 0;
    const auto result = std::from_chars(text.data(), text.data() + text.size(), value);
    sum = sum * 31 + static_cast<Seen>(result.ptr - text.data()) + std::bit_cast<std::uint64_t>(value);
#endif
    return sum * 31 + static_cast<Seen>(whole);
  }

  static Seen read(const Type& texts, unsigned base) {
    Seen sum = 0;
    for (const std::string& text : texts) {
      sum = sum * 31 + read_characters(text);
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
