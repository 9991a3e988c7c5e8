#ifndef PERDURE_TX_STACK_H
#define PERDURE_TX_STACK_H

#include <cstdint>

namespace perdure::tx {

/// Where the caller's frame ends: below all frames that are there.
[[gnu::always_inline]] inline const void* stack_pointer() {
  const void* pointer;
  asm volatile("mov %%rsp, %0" : "=r"(pointer));
  return pointer;
}

/// Whether an address lies in a frame that is there and was made after `since` was the stack pointer, on whatever stack
/// that was.
[[gnu::always_inline]] inline bool is_in_frame_since(const void* since, const void* address) {
  const auto lowest = reinterpret_cast<std::uintptr_t>(stack_pointer());
  return reinterpret_cast<std::uintptr_t>(address) - lowest < reinterpret_cast<std::uintptr_t>(since) - lowest;
}

/// The bounds of a thread's own stack. Functions may run on others, too: fibers, handlers of signals.
class Stack {
 public:
  constexpr Stack() = default;

  /// Finds the bounds of the calling thread's stack.
  static Stack of_this_thread();

  bool contains(const void* address) const { return reinterpret_cast<std::uintptr_t>(address) - lowest_ < bytes_; }

 private:
  constexpr Stack(std::uintptr_t lowest, std::uintptr_t bytes) : lowest_(lowest), bytes_(bytes) {}

  std::uintptr_t lowest_ = 0;
  std::uintptr_t bytes_ = 0;
};

}  // namespace perdure::tx

#endif
