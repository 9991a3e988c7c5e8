// RUN: %run_on_deferred_runtime -O0
// RUN: %run_on_deferred_runtime -O2
// RUN: %if long %{ %run_on_deferred_runtime -O3 -g %}
// RUN: %if long %{ %run_on_deferred_runtime -O2 -flto -fuse-ld=lld %}
// RUN: %run_on_deferred_runtime -O2 -fplugin-arg-perdure-write-only

// Pure functions with inline assembly, which is an error elsewhere in a transaction if it touches memory: called directly,
// through pointers, with locals to write to. Assembly that touches none is allowed everywhere.
#include <cstdint>

#include "compare.h"
#include "perdure/attributes.h"

namespace {

struct Words {
  std::uint64_t words[8] = {3, 5, 7, 11, 13, 17, 19, 23};
  std::uint64_t sum = 1;
  std::uint64_t (*function)(std::uint64_t, std::uint64_t) = nullptr;
};

PERDURE_PURE std::uint64_t upper_product(std::uint64_t a, std::uint64_t b) {
  std::uint64_t upper = 0;
  asm("mulq %[b]" : "=d"(upper), "+a"(a) : [b] "r"(b) : "cc");
  return upper + a;
}

/// By way of memory of its own frame.
PERDURE_PURE std::uint64_t swapped(std::uint64_t value, std::uint64_t with) {
  std::uint64_t stored = value;
  asm volatile("xchgq %0, %1\n\taddq $1, %1" : "+r"(with), "+m"(stored) : : "memory", "cc");
  return stored * 3 + with;
}

/// Writes where the caller says: in a transaction, to locals of it alone.
PERDURE_PURE void add_to(std::uint64_t* sums, std::uint64_t value) {
  asm volatile("addq %1, (%0)\n\taddq %1, 8(%0)" : : "r"(sums), "r"(value) : "memory", "cc");
}

PERDURE_PURE inline std::uint64_t highest_bit(std::uint64_t value) {
  std::uint64_t index = 0;
  asm("bsrq %1, %0" : "=r"(index) : "rm"(value) : "cc");
  return index;
}

std::uint64_t rotated(std::uint64_t value) {
  asm("rolq $7, %0" : "+r"(value) : : "cc");
  return value;
}

std::uint64_t work(Words& data) {
  std::uint64_t locals[2] = {1, 2};
  data.function = swapped;
  for (std::uint64_t& word : data.words) {
    add_to(locals, word);
    word = upper_product(word, data.sum) + highest_bit(word | 1);
    data.sum = swapped(data.sum, word) + rotated(word);
    word ^= data.function(word, locals[1]);
  }
  return data.sum + locals[0] * 31 + locals[1];
}

}  // namespace

int main() {
  // As locals they would be private to the transactions.
  auto& plain = *new Words;
  auto& shared = *new Words;
  for (int round = 0; round < 2; ++round)
    compare("pure functions with assembly", plain, shared, [](Words& data) { return work(data); });
  if (deferred_runtime::aborted_attempts() < 5) return 1;
}
