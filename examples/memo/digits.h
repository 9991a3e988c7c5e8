#ifndef PERDURE_EXAMPLES_DIGITS_H
#define PERDURE_EXAMPLES_DIGITS_H

#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <vector>

/// 18 decimal digits an element, the lowest first.
using Digits = std::vector<std::uint64_t>;
inline constexpr std::uint64_t base = 1'000'000'000'000'000'000;

inline Digits sum(const Digits& larger, const Digits& smaller) {
  Digits result;
  result.reserve(larger.size() + 1);
  std::uint64_t carry = 0;
  for (std::size_t i = 0; i < larger.size(); ++i) {
    const std::uint64_t digits = larger[i] + (i < smaller.size() ? smaller[i] : 0) + carry;
    carry = digits / base;
    result.push_back(digits % base);
  }
  if (carry != 0) result.push_back(carry);
  return result;
}

inline void print(const Digits& digits) {
  std::printf("%llu", static_cast<unsigned long long>(digits.back()));
  for (auto i = digits.rbegin() + 1; i != digits.rend(); ++i)
    std::printf("%018llu", static_cast<unsigned long long>(*i));
  std::puts("");
}

#endif
