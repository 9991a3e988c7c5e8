#ifndef PERDURE_HTM_RTM_H
#define PERDURE_HTM_RTM_H

#include <atomic>
#include <cstdint>

#include "htm/offer.h"
#include "htm/transaction.h"

namespace perdure::htm {

/// Intel's restricted transactional memory. The instructions are written out, and not the compiler's intrinsics, so
/// that they are inlined where the rest is compiled for processors without them. An abort goes on behind `xbegin` with
/// all registers and all memory as they were there, but the status.
struct Rtm {
  static bool is_offered() { return offer() == Offer::works; }

  template <class Body>
  [[gnu::always_inline]] static Status attempt(Body&& body) {
    const Status status = begin();
    return status.is_running() ? commit(body) : status;
  }

  [[gnu::always_inline]] static Status begin() {
    std::uint32_t status = Status::started;
    asm volatile("xbegin 1f\n1:" : "+a"(status) : : "memory");
    return Status(status);
  }
  template <class Last>
  [[gnu::always_inline]] static Status commit(Last&& last) {
    last();
    asm volatile("xend" : : : "memory");
    return Status::committed();
  }
  template <class Action, class Otherwise>
  [[gnu::always_inline]] static auto within(Action&& action, Otherwise&&) {
    return action();
  }
  static bool is_unharmed() { return true; }  // or it would not be here

  // Relaxed: within a transaction the processor isolates.
  template <class T>
  static T load(const T& word) {
    return std::atomic_ref(const_cast<T&>(word)).load(std::memory_order_relaxed);
  }
  template <class T>
  static void store(T& word, T value) {
    std::atomic_ref(word).store(value, std::memory_order_relaxed);
  }

  template <std::uint8_t code>
  [[noreturn, gnu::always_inline]] static void give_up() {
    asm volatile("xabort %0" : : "i"(code) : "memory");
    __builtin_unreachable();
  }
};
static_assert(Processor<Rtm>);

}  // namespace perdure::htm

#endif
