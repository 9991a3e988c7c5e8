// RUN: %run_on_deferred_runtime -O0
// RUN: %run_on_deferred_runtime -O2
// RUN: %if long %{ %run_on_deferred_runtime -O3 -g %}
// RUN: %run_on_deferred_runtime -O2 -mllvm -perdure-disable-elision=captured,repeated-read
// RUN: %run_on_deferred_runtime -O2 -fplugin-arg-perdure-write-only
// RUN: %if long %{ %run_on_deferred_runtime -O1 -fplugin-arg-perdure-checked %}

// Blocks that a transaction allocates do the same whether they are accessed directly or not: before and after others may
// reach them, on every path, in loops.
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <new>

#include "compare.h"

namespace {

struct Node {
  std::uint64_t value = 0;
  Node* next = nullptr;
  unsigned char rest[48] = {};
};

struct Lists {
  Node* heads[4] = {};
  std::uint64_t sum = 0;
};

[[gnu::noinline]] void touch(Node* node, std::uint64_t by) { node->value = node->value * 3 + by; }

std::uint64_t digest(const Lists& lists) {
  std::uint64_t result = lists.sum;
  for (const Node* const head : lists.heads)
    for (const Node* node = head; node != nullptr; node = node->next) {
      result = result * 31 + node->value;
      for (const unsigned char byte : node->rest) result = result * 7 + byte;
    }
  return result;
}

void push(Lists& lists, std::uint64_t value) {
  Node* const node = new Node;
  node->value = value;
  if (value % 3 == 0) touch(node, 5);
  node->value += 1;  // on one path others have had it
  node->next = lists.heads[value % 4];
  lists.heads[value % 4] = node;
  node->rest[value % 48] = static_cast<unsigned char>(value);
  std::memset(node->rest + 5, static_cast<int>(value), 9);
}

void push_copy(Lists& lists, std::uint64_t value) {
  auto* const copy = static_cast<Node*>(std::malloc(sizeof(Node)));
  Node* const from = lists.heads[value % 4];
  if (from != nullptr)
    std::memcpy(copy, from, sizeof(Node));
  else
    new (copy) Node;
  copy->value ^= value;
  copy->next = lists.heads[(value + 1) % 4];
  lists.heads[(value + 1) % 4] = copy;
}

/// The block of one round is reached in the next.
void chain(Lists& lists, std::uint64_t value) {
  Node* previous = nullptr;
  for (std::uint64_t i = 0; i < 5; ++i) {
    Node* const node = new Node;
    node->value = value + i;
    if (previous != nullptr) {
      previous->value += node->value;
      previous->next = node;
    } else {
      lists.heads[0] = node;
    }
    previous = node;
  }
  const auto numbers = std::make_unique<std::uint64_t[]>(16);
  for (std::uint64_t i = 0; i < 16; ++i) numbers[i] = value * i;
  for (std::uint64_t i = 0; i < 16; ++i) lists.sum += numbers[i] % 7;
}

std::uint64_t work(Lists& lists) {
  for (std::uint64_t i = 0; i < 20; ++i) push(lists, i);
  for (std::uint64_t i = 0; i < 7; ++i) push_copy(lists, i);
  const std::uint64_t before = digest(lists);
  chain(lists, 77);
  return before * 3 + digest(lists);
}

}  // namespace

int main() {
  auto& plain = *new Lists;
  auto& shared = *new Lists;
  for (int round = 0; round < 3; ++round)
    compare("allocated blocks", plain, shared, [](Lists& lists) { return work(lists); });
}
