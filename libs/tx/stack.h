#ifndef PERDURE_TX_STACK_H
#define PERDURE_TX_STACK_H

#include <cstdint>

namespace perdure::tx {

/// The bounds of the calling thread's stack.
class Stack {
 public:
  constexpr Stack() = default;

  /// Finds the bounds of the calling thread's stack. (A transaction on a stack of one's own making, a fiber's, is not
  /// supported: its frames would be taken for shared memory.)
  static Stack of_this_thread();

  bool contains(const void* address) const { return reinterpret_cast<std::uintptr_t>(address) - lowest_ < bytes_; }

  /// Whether an address in the stack lies in a frame made after the one that `stack_pointer` was taken in.
  bool is_below(const void* address, const void* stack_pointer) const {
    return reinterpret_cast<std::uintptr_t>(address) < reinterpret_cast<std::uintptr_t>(stack_pointer);
  }

 private:
  constexpr Stack(std::uintptr_t lowest, std::uintptr_t bytes) : lowest_(lowest), bytes_(bytes) {}

  std::uintptr_t lowest_ = 0;
  std::uintptr_t bytes_ = 0;
};

}  // namespace perdure::tx

#endif
