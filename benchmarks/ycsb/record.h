#ifndef PERDURE_BENCHMARKS_YCSB_RECORD_H
#define PERDURE_BENCHMARKS_YCSB_RECORD_H

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>

namespace perdure::benchmarks::ycsb {

/// 100 bytes that are seen to belong together.
struct Field {
  using Text = std::array<char, 96>;

  std::uint32_t number = 0;
  Text text = text_of(0);

  static Field with(std::uint32_t number) { return {number, text_of(number)}; }
  bool is_intact() const { return text == text_of(number); }

  static Text text_of(std::uint32_t number) {
    constexpr unsigned letters = 26;
    Text text;
    text.fill(static_cast<char>('a' + number % letters));
    return text;
  }
};

/// Ten fields of 100 bytes.
struct Record {
  static constexpr std::size_t fields = 10;
  std::array<Field, fields> field;

  bool is_intact() const {
    return std::ranges::all_of(field, [](const Field& of) { return of.is_intact(); });
  }
};

}  // namespace perdure::benchmarks::ycsb

#endif
