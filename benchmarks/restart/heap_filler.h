#ifndef PERDURE_BENCHMARKS_RESTART_HEAP_FILLER_H
#define PERDURE_BENCHMARKS_RESTART_HEAP_FILLER_H

#include <cstddef>
#include <cstdint>
#include <stdexcept>

#include "perdure/pool.h"
#include "perdure/transaction.h"

namespace perdure::benchmarks::restart {

struct Object {
  Object* next;
  std::uint64_t number;
  std::uint64_t rest[6];
};
static_assert(sizeof(Object) == 64);

/// The root object: chains of objects.
struct Heap {
  std::uint64_t chains;
  std::uint64_t transactions;
  Object** heads;
};

/// Objects in a chain; as many again are allocated between them and left to nobody.
constexpr std::uint64_t chain_length = 32;

/// Apart, so that the compiler does not find that nobody wants the object.
[[gnu::noinline]] inline Object* make_object(Object* next, std::uint64_t number) {
  return new Object{next, number, {}};
}

/// A heap full of small objects of which every second one is reachable.
class HeapFiller {
 public:
  explicit HeapFiller(Heap& heap) : heap_(heap) {}

  void fill(std::size_t bytes) {
    const std::uint64_t chains = bytes / (2 * chain_length * sizeof(Object));
    make_heads(chains);
    for (std::uint64_t chain = 0; chain < chains; ++chain) make_chain(chain);
  }

  /// A transaction as any program might begin with.
  void run_first_transaction() {
    Heap& heap = heap_;
    TM_BEGIN {
      heap.heads[0] = make_object(heap.heads[0], heap.transactions);
      ++heap.transactions;
    } TM_END;
  }

  /// \throws std::runtime_error when an object is missing.
  void check() const {
    for (std::uint64_t chain = 0; chain < heap_.chains; ++chain) {
      std::uint64_t length = 0;
      for (const Object* object = heap_.heads[chain]; object != nullptr; object = object->next) ++length;
      if (length != chain_length + (chain == 0 ? heap_.transactions : 0))
        throw std::runtime_error("chain " + std::to_string(chain) + " has " + std::to_string(length) + " objects");
    }
  }

 private:
  void make_heads(std::uint64_t chains) {
    Heap& heap = heap_;
    TM_BEGIN {
      heap.chains = chains;
      heap.heads = new Object*[chains];
    } TM_END;
  }

  void make_chain(std::uint64_t chain) {
    Heap& heap = heap_;
    TM_BEGIN {
      Object* head = nullptr;
      for (std::uint64_t i = 0; i < chain_length; ++i) {
        head = make_object(head, i);
        make_object(nullptr, i);
      }
      heap.heads[chain] = head;
    } TM_END;
  }

  Heap& heap_;
};

}  // namespace perdure::benchmarks::restart

#endif
