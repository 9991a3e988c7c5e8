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
  /// Whether the address lies in the thread's stack and so does `pointer`, where the transaction runs. Nobody knows
  /// another's bounds.
  bool contains(const void* pointer, const void* address) const { return contains(address) && contains(pointer); }

  /// Whether the calling function does not run on the stack that `pointer` is on, below it.
  [[gnu::always_inline]] bool is_another_below(const void* pointer) const {
    return stack_pointer() >= pointer || contains(stack_pointer()) != contains(pointer);
  }

 private:
  constexpr Stack(std::uintptr_t lowest, std::uintptr_t bytes) : lowest_(lowest), bytes_(bytes) {}

  std::uintptr_t lowest_ = 0;
  std::uintptr_t bytes_ = 0;
};

}  // namespace perdure::tx

#endif
