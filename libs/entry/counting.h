#ifndef PERDURE_ENTRY_COUNTING_H
#define PERDURE_ENTRY_COUNTING_H

#include <cstdint>

#include "perdure/counting.h"
#include "tx/runner.h"

/// perdure/counting.h over whatever runs transactions.
namespace perdure::entry {

/// As numbers without a sign, whose overflow is defined.
inline std::uint64_t* unsigned_word(const std::int64_t* word) {
  return reinterpret_cast<std::uint64_t*>(const_cast<std::int64_t*>(word));
}

template <class Runner>
void add(Runner& runner, std::int64_t* signed_word, std::int64_t signed_amount) {
  std::uint64_t* const word = unsigned_word(signed_word);
  const auto amount = static_cast<std::uint64_t>(signed_amount);
  if (!runner.is_running())
    *word += amount;
  else if constexpr (tx::AddsLater<Runner>)
    runner.add(word, amount);
  else
    runner.write(word, runner.read(word) + amount);
}

template <class Runner>
std::int64_t counter_value(Runner& runner, const std::int64_t* word) {
  if (!runner.is_running()) return *word;
  if constexpr (tx::AddsLater<Runner>)
    return static_cast<std::int64_t>(runner.counter_value(unsigned_word(word)));
  else
    return static_cast<std::int64_t>(runner.read(unsigned_word(word)));
}

template <class Runner>
void forget_additions(Runner& runner, std::int64_t* word) {
  if constexpr (tx::AddsLater<Runner>)
    if (runner.is_running()) runner.forget_additions(unsigned_word(word));
}

template <class Runner>
void free(Runner& runner, void* block) {
  if constexpr (tx::AddsLater<Runner>)
    runner.free(block);
  else
    runner.memory().free(block);
}

}  // namespace perdure::entry

#endif
