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
void add(Runner& runner, std::int64_t* word, std::int64_t amount) {
  if (runner.is_running())
    runner.add(unsigned_word(word), static_cast<std::uint64_t>(amount));
  else
    *unsigned_word(word) += static_cast<std::uint64_t>(amount);
}

template <class Runner>
std::int64_t counter_value(Runner& runner, const std::int64_t* word) {
  return runner.is_running() ? static_cast<std::int64_t>(runner.counter_value(unsigned_word(word))) : *word;
}

template <class Runner>
void forget_additions(Runner& runner, std::int64_t* word) {
  if (runner.is_running()) runner.forget_additions(unsigned_word(word));
}

}  // namespace perdure::entry

#endif
