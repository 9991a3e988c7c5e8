// RUN: %run_on_deferred_runtime -O0
// RUN: %if long %{ %run_on_deferred_runtime -O1 %}
// RUN: %run_on_deferred_runtime -O2
// RUN: %if long %{ %run_on_deferred_runtime -O3 -g %}
// RUN: %run_on_deferred_runtime -O2 -fplugin-arg-perdure-write-only
// RUN: %run_on_deferred_runtime -O2 -mllvm -perdure-disable-elision=private-local

// Locals of the function that runs a transaction: what is written to them is taken back by an abort, whether the transaction
// writes directly or by way of the runtime, which defers all writes. Every access is an attempt's last at least once.
#include <algorithm>
#include <array>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <optional>
#include <string>
#include <vector>

#include "deferred_runtime.h"
#include "perdure/transaction.h"

namespace {

struct Shared {
  std::uint64_t numbers[64] = {};
  const std::uint64_t* known = nullptr;
};

void expect(bool holds, const char* what) {
  if (holds) return;
  std::printf("%s\n", what);
  std::exit(1);
}

/// Added to in every attempt: an abort that does not take it back shows.
[[gnu::noinline]] void accumulates(Shared& shared) {
  std::uint64_t sum = 5;
  std::array<std::uint32_t, 5> counts = {1, 2, 3, 4, 5};
  const std::uint64_t step = 3;
  TM_BEGIN {
    for (std::uint64_t i = 0; i < 8; ++i) {
      sum += shared.numbers[i] + step;
      counts[i % counts.size()] += 10;
      shared.numbers[i] = sum;
    }
  } TM_END;
  expect(sum == 5 + 8 * 3 && shared.numbers[7] == sum, "a sum that was begun before the transaction");
  expect(counts == std::array<std::uint32_t, 5>{21, 22, 23, 14, 15}, "counts of several attempts");
}

/// Results of several kinds, through the optional that `execute` makes.
[[gnu::noinline]] void returns(Shared& shared) {
  const bool is_large = TM_BEGIN { return shared.numbers[3] > 10; } TM_END;
  const auto both = TM_BEGIN { return std::pair(shared.numbers[1], shared.numbers[2]); } TM_END;
  const std::optional<std::uint64_t> none = TM_BEGIN { return std::optional<std::uint64_t>(); } TM_END;
  expect(is_large && both.first == shared.numbers[1] && both.second == shared.numbers[2] && !none, "results");
}

[[gnu::noinline]] std::uint64_t sum_of(const std::vector<std::uint64_t>& numbers) {
  std::uint64_t sum = 0;
  for (const std::uint64_t number : numbers) sum += number;
  return sum;
}

[[gnu::noinline]] void add_to(std::uint64_t& to, std::uint64_t what) { to += what; }

/// Functions of their own read and write locals: by way of the runtime, so all do.
[[gnu::noinline]] void passes_on(Shared& shared) {
  const std::vector<std::uint64_t> numbers = {1, 2, 3};
  std::uint64_t passed = 7;
  std::uint64_t bytes[3] = {9, 9, 9};
  std::uint64_t moved[3] = {4, 4, 4};
  TM_BEGIN {
    passed += sum_of(numbers);
    add_to(passed, shared.numbers[0]);
    add_to(passed, 1);
    std::memcpy(bytes, shared.numbers, sizeof bytes);
    bytes[1] += 1;
    std::memmove(moved, moved + 1, 2 * sizeof moved[0]);
    moved[0] += numbers[2];
    shared.numbers[9] = passed;
  } TM_END;
  expect(passed == 7 + 6 + shared.numbers[0] + 1 && shared.numbers[9] == passed, "a local that is passed on");
  expect(bytes[0] == shared.numbers[0] && bytes[1] == shared.numbers[1] + 1, "a local that is copied to");
  expect(moved[0] == 7 && moved[1] == 4 && moved[2] == 4, "a local that is moved in");
}

/// Shared memory leads to the local: it is read and written in two ways.
[[gnu::noinline]] void publishes(Shared& shared) {
  std::uint64_t local = 1;
  std::uint64_t seen = 0;
  TM_BEGIN {
    shared.known = &local;
    local += 4;
    seen = *shared.known;
    local += seen;
    shared.known = nullptr;
  } TM_END;
  expect(local == 10 && seen == 5, "a local that shared memory leads to");
}

/// One of two locals, and a part of one that is not known.
[[gnu::noinline]] void chooses(Shared& shared, std::size_t which) {
  std::uint64_t one = 1;
  std::uint64_t other = 100;
  std::uint8_t flags[40] = {};
  TM_BEGIN {
    std::uint64_t& chosen = which % 2 == 0 ? one : other;
    chosen += shared.numbers[4];
    flags[which] |= 1;
    flags[shared.numbers[63] + which + 1] += 2;
  } TM_END;
  expect((which % 2 == 0 ? one - 1 : other - 100) == shared.numbers[4], "one of two locals");
  expect(flags[which] == 1 && flags[which + 1] == 2 && std::count(flags, flags + 40, 0) == 38, "a part of a local");
}

/// The body is inlined into several callers, of which one has a local and the other shared memory.
inline void increment_all(std::uint64_t* numbers, std::size_t count) {
  TM_BEGIN {
    for (std::size_t i = 0; i < count; ++i) ++numbers[i];
  } TM_END;
}

[[gnu::noinline]] void increments(Shared& shared) {
  std::uint64_t numbers[4] = {1, 2, 3, 4};
  increment_all(numbers, 4);
  increment_all(shared.numbers + 20, 4);
  expect(numbers[0] == 2 && numbers[3] == 5 && shared.numbers[20] == 1 && shared.numbers[23] == 1, "two callers");
}

/// A nested transaction has locals of the outer one.
[[gnu::noinline]] void nests(Shared& shared) {
  std::uint64_t outer = 1;
  TM_BEGIN {
    std::uint64_t inner = shared.numbers[5];
    TM_BEGIN {
      inner += 2;
      outer += inner;
      shared.numbers[5] = inner;
    } TM_END;
    outer += inner;
  } TM_END;
  expect(outer == 1 + 2 * shared.numbers[5], "nested transactions");
}

}  // namespace

int main() {
  auto& shared = *new Shared;
  accumulates(shared);
  returns(shared);
  passes_on(shared);
  publishes(shared);
  chooses(shared, 6);
  chooses(shared, 7);
  increments(shared);
  nests(shared);
  expect(deferred_runtime::aborted_attempts() > 20, "attempts were aborted");
}
