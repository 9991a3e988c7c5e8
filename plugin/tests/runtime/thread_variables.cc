// RUN: %run_on_deferred_runtime -O0
// RUN: %run_on_deferred_runtime -O2
// RUN: %if long %{ %run_on_deferred_runtime -O2 -fPIC -ftls-model=global-dynamic %}
// RUN: %run_on_deferred_runtime -O2 -fplugin-arg-perdure-write-only

// Variables of a thread: what a transaction writes to them is taken back by an abort. Of those that are initialised when they
// are first used, that may be in a transaction.
#include <cstdint>
#include <cstring>
#include <string>
#include <vector>

#include "compare.h"

namespace {

struct Counters {
  std::uint64_t words[6] = {1, 2, 3};
  std::uint16_t narrow = 5;
  char text[16] = "text";
};

thread_local Counters counters[2];  // the plain ones, and those of transactions
thread_local std::uint64_t plain_number = 7;
thread_local std::uint64_t shared_number = 7;

std::uint64_t work(Counters& of_thread, std::uint64_t& number) {
  for (std::uint64_t& word : of_thread.words) {
    number = number * 5 + word;
    word += number;
  }
  of_thread.narrow = static_cast<std::uint16_t>(of_thread.narrow * 3);
  std::memmove(of_thread.text + 1, of_thread.text, 9);
  const std::uint64_t* const pointer = &number;
  return number + of_thread.narrow + std::strlen(of_thread.text) + *pointer;
}

std::uint64_t seed() { return 40; }
thread_local std::uint64_t initialised_late = seed() + 2;
thread_local std::uint64_t never_used_before = seed() + 3;

/// The thread destroys them when it ends; so they are not made anew where the transaction is.
std::size_t use_locals(std::size_t length) {
  thread_local std::vector<int> numbers(3, 5);
  thread_local std::string text(length, 'x');
  return numbers.size() + text.size() + ++numbers[0];
}

}  // namespace

int main() {
  struct Chosen {
    bool is_shared;
    std::uint64_t written = 0;
  };
  Chosen plain{false}, shared{true};
  for (int round = 0; round < 2; ++round)
    compare("variables of the thread", plain, shared, [](Chosen& chosen) {
      chosen.written += 1;
      return work(counters[chosen.is_shared], chosen.is_shared ? shared_number : plain_number);
    });
  if (plain_number != shared_number || std::memcmp(&counters[0], &counters[1], sizeof(Counters)) != 0) return 1;
  TM_BEGIN { initialised_late += never_used_before; } TM_END;
  if (initialised_late != 85 || never_used_before != 43) return 2;
  std::size_t used = 0;
  TM_BEGIN { used = use_locals(40) + use_locals(50); } TM_END;
  if (used != 43 + 6 + 43 + 7) return 4;
  if (deferred_runtime::aborted_attempts() < 10) return 3;
}
