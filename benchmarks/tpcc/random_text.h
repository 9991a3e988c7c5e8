#ifndef PERDURE_BENCHMARKS_TPCC_RANDOM_TEXT_H
#define PERDURE_BENCHMARKS_TPCC_RANDOM_TEXT_H

#include <string_view>

#include "common/text.h"
#include "input.h"
#include "rows.h"

/// The texts that a database is populated with (TPC-C, clause 4.3.2).
namespace perdure::benchmarks::tpcc {

/// I_DATA and S_DATA: one in ten holds the word ORIGINAL somewhere.
inline Text<50> random_data(Random& random) {
  constexpr std::string_view original = "ORIGINAL";
  constexpr std::size_t fewest = 26;
  auto data = random_text<50>(random, fewest);
  if (random.percent(10)) original.copy(data.data() + random.between(0, fewest - original.size()), original.size());
  return data;
}

inline Address random_address(Random& random) {
  Address address{random_text<20>(random, 10), random_text<20>(random, 10), random_text<20>(random, 10),
                  random_text<2>(random, 2, "ABCDEFGHIJKLMNOPQRSTUVWXYZ"), fixed_text<9>("000011111")};
  const auto digits = random_digits<4>(random);
  std::copy(digits.begin(), digits.end(), address.zip.begin());
  return address;
}

/// C_LAST (clause 4.3.2.3): three syllables, one a digit of `number`, which is below 1000.
inline Text<16> last_name(std::uint32_t number) {
  static constexpr std::string_view syllables[] = {"BAR", "OUGHT", "ABLE",  "PRI",   "PRES",
                                                   "ESE", "ANTI",  "CALLY", "ATION", "EING"};
  Text<16> name{};
  std::size_t length = 0;
  for (const auto digit : {number / 100, number / 10 % 10, number % 10}) {
    length += syllables[digit].copy(name.data() + length, name.size() - length);
  }
  return name;
}

}  // namespace perdure::benchmarks::tpcc

#endif
