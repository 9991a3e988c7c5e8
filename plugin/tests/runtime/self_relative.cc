// RUN: %run_on_deferred_runtime -O1 -fplugin-arg-perdure-self-relative
// RUN: %if long %{ %run_on_deferred_runtime -O2 -fplugin-arg-perdure-self-relative %}
// RUN: %if long %{ %run_on_deferred_runtime -O3 -g -march=native -fplugin-arg-perdure-self-relative %}
// RUN: %if long %{ %run_on_deferred_runtime -O2 -fplugin-arg-perdure-self-relative -fplugin-arg-perdure-write-only %}
// RUN: %if long %{ %run_on_deferred_runtime -O2 -g1 -flto -fuse-ld=lld -fplugin-arg-perdure-self-relative %}

// Structures of self-relative pointers do what they do with native ones, in transactions and outside.
#include <cstdint>
#include <cstring>
#include <memory>

#include "compare.h"

namespace {

/// What lies at a place, without looking at it as a pointer.
std::uintptr_t stored_at(const void* place) {
  std::uintptr_t bytes = 0;
  std::memcpy(&bytes, place, sizeof bytes);
  return bytes;
}

struct Shape {
  virtual ~Shape() = default;
  virtual std::uint64_t area() const = 0;
};
struct Square : Shape {
  std::uint64_t side = 5;
  std::uint64_t area() const override { return side * side; }
};

struct Node {
  Node* next = this;  // a ring: alone, it leads to itself
  Node* previous = this;
  Node* nothing = nullptr;
  std::uint64_t value = 0;
  std::uint64_t (*function)(std::uint64_t) = [](std::uint64_t from) { return from * 3; };
};

struct Two {
  Node* first;
  std::uint64_t number;
  Node* second;
};

[[gnu::noinline]] std::uint64_t by_value(Two two) { return two.first->value * 7 + two.second->value + two.number; }

struct Structure {
  Node* ring = nullptr;
  Shape* shape = nullptr;
  Two* twos = nullptr;
  std::uint64_t nodes = 0;
};

std::uint64_t sum_of(const Structure& structure) {
  std::uint64_t sum = structure.shape != nullptr ? structure.shape->area() : 0;
  const Node* node = structure.ring;
  for (std::uint64_t i = 0; i < 2 * structure.nodes; ++i, node = node->next) {
    if (node->previous->next != node || node->nothing != nullptr) return 0;
    sum = sum * 31 + node->function(node->value);
  }
  return sum;
}

void add(Structure& structure, std::uint64_t value) {
  auto* const node = new Node;
  node->value = value;
  if (structure.ring != nullptr) {
    node->next = structure.ring;
    node->previous = structure.ring->previous;
    node->next->previous = node->previous->next = node;
  }
  structure.ring = node;
  ++structure.nodes;
}

std::uint64_t work(Structure& structure) {
  for (std::uint64_t i = 0; i < 5; ++i) add(structure, i * i + structure.nodes);
  if (structure.shape == nullptr) structure.shape = new Square;
  if (structure.twos == nullptr) structure.twos = new Two[4]{};
  // Copies of structs: to a variable, from it, from one place to another, and by value.
  structure.twos[0] = {structure.ring, 1, structure.ring->next};
  structure.twos[1] = structure.twos[0];
  Two local = structure.twos[1];
  std::swap(local.first, local.second);
  structure.twos[2] = local;
  std::swap(structure.twos[2], structure.twos[3]);
  return sum_of(structure) + by_value(structure.twos[3]) + by_value(structure.twos[1]) +
         static_cast<std::uint64_t>(structure.twos[2].first == nullptr);
}

}  // namespace

int main() {
  Structure* shared = nullptr;
  TM_BEGIN { shared = new Structure; } TM_END;
  Structure& plain = *new Structure;
  for (int round = 0; round < 3; ++round) {
    compare("self-relative", plain, *shared, [](Structure& structure) { return work(structure); });
    if (sum_of(plain) != sum_of(*shared)) return 1;
  }
  // In the heap pointers are native; in a pool they are distances, which are small; null is null in both.
  if (stored_at(&plain.ring) != reinterpret_cast<std::uintptr_t>(plain.ring)) return 2;
  const auto distance = static_cast<std::int64_t>(stored_at(&shared->ring));
  if (distance == 0 || distance > (1 << 27) || distance < -(1 << 27)) return 3;
  if (stored_at(&shared->ring->nothing) != 0) return 4;
  // What was not stored through a pointer of this file is read as what it is.
  add(*shared, 7);
  return sum_of(*shared) != 0 ? 0 : 5;
}
