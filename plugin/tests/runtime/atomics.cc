// RUN: %run_on_deferred_runtime -O0
// RUN: %run_on_deferred_runtime -O2 -fno-rtti
// RUN: %if long %{ %run_on_deferred_runtime -O2 -fplugin-arg-perdure-write-only %}

// Atomic variables, and std::shared_ptr, which counts with them, do in transactions what they do outside.
#include <atomic>
#include <cstdint>
#include <memory>
#include <vector>

#include "compare.h"

namespace {

struct Node : std::enable_shared_from_this<Node> {
  explicit Node(std::uint64_t number) : number(number) {}
  virtual ~Node() { *destroyed = *destroyed * 7 + number; }
  virtual std::uint64_t weight() { return number; }
  std::uint64_t number;
  std::uint64_t* destroyed = nullptr;
  std::shared_ptr<Node> next;
  std::weak_ptr<Node> previous;
};

struct Heavy : Node {
  using Node::Node;
  std::uint64_t weight() override { return number * 100; }
};

struct Atomics {
  std::atomic<int> counter{3};
  std::atomic<std::uint64_t> wide{5};
  std::atomic<char> narrow{'a'};
  std::atomic<bool> flag{false};
  std::atomic<double> real{0.5};
  std::atomic<int*> pointer{nullptr};
  std::atomic_flag bit{};
  int target[4] = {};
  std::uint64_t destroyed = 0;
  std::shared_ptr<Node> head;
  std::shared_ptr<const int> constant = std::make_shared<const int>(7);
};

std::uint64_t operations(Atomics& atomics) {
  std::uint64_t sum = static_cast<std::uint64_t>(atomics.counter++ + atomics.counter.load(std::memory_order_relaxed));
  atomics.wide.fetch_xor(0x1234);
  atomics.wide -= 3;
  std::atomic_thread_fence(std::memory_order_seq_cst);
  atomics.narrow.exchange('b');
  sum += atomics.flag.exchange(!atomics.flag) ? 1 : 0;
  double real = atomics.real;
  while (!atomics.real.compare_exchange_weak(real, real * 2)) {
  }
  atomics.pointer = atomics.target;
  ++atomics.pointer;
  *atomics.pointer += 3;
  std::uint64_t wrong = 1;
  sum += atomics.wide.compare_exchange_strong(wrong, 0) ? 1 : 0;
  sum += atomics.bit.test_and_set() ? 10 : 0;
  return sum + wrong + atomics.wide + static_cast<std::uint64_t>(atomics.real + atomics.target[1]);
}

std::uint64_t counted(Atomics& atomics) {
  for (std::uint64_t i = 0; i < 8; ++i) {
    const std::shared_ptr<Node> node = i % 2 == 0 ? std::make_shared<Node>(i) : std::shared_ptr<Node>(new Heavy(i));
    node->destroyed = &atomics.destroyed;
    node->next = atomics.head;
    if (atomics.head) atomics.head->previous = node;
    atomics.head = node->shared_from_this();
  }
  std::uint64_t sum = 0;
  std::vector<std::shared_ptr<Node>> all;
  for (auto node = atomics.head; node; node = node->next) {
    all.push_back(node);
    sum = sum * 3 + node->weight() + static_cast<std::uint64_t>(node.use_count());
    if (const auto previous = node->previous.lock()) sum += previous->number;
  }
  if (auto heavy = std::static_pointer_cast<Heavy>(all[2])) sum += heavy->weight();
  const std::weak_ptr<Node> weak = all[4];
  const std::shared_ptr<std::uint64_t> part(all[3], &all[3]->number);
  atomics.head->next = all[6];
  all.clear();
  atomics.head = atomics.head->next;
  atomics.constant = std::make_shared<const int>(*atomics.constant + 1);
  return sum + *part + (weak.expired() ? 1000 : 0) + atomics.destroyed + static_cast<std::uint64_t>(*atomics.constant);
}

}  // namespace

int main() {
  auto& plain = *new Atomics;
  auto& shared = *new Atomics;
  for (int round = 0; round < 2; ++round) {
    compare("operations", plain, shared, [](Atomics& atomics) { return operations(atomics); });
    compare("shared_ptr", plain, shared, [](Atomics& atomics) { return counted(atomics); });
  }
}
