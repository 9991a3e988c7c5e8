#ifndef PERDURE_EXAMPLES_WAITING_BOUNDED_QUEUE_H
#define PERDURE_EXAMPLES_WAITING_BOUNDED_QUEUE_H

#include <array>
#include <cstddef>

#include <perdure/perdure.h>

/// A queue of at most `capacity` items. In a pool it is there again after a crash, with what was in it. Its functions
/// are transactions, or parts of the one that runs: so what is taken out and what is done with it may be one.
template <class Item, std::size_t capacity>
class BoundedQueue {
 public:
  /// Waits as long as the queue is full.
  void push(const Item& item) {
    TM_BEGIN {
      if (pushed_ - popped_ == capacity) TM_RETRY;
      items_[pushed_++ % capacity] = item;
    } TM_END;
  }

  /// Waits as long as the queue is empty.
  Item pop() {
    return perdure::execute([&] {
      if (pushed_ == popped_) TM_RETRY;
      return items_[popped_++ % capacity];
    });
  }

 private:
  std::array<Item, capacity> items_{};
  std::size_t pushed_ = 0;
  std::size_t popped_ = 0;
};

#endif
