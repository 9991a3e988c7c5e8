#ifndef PERDURE_TX_ANNOUNCED_OPERATION_H
#define PERDURE_TX_ANNOUNCED_OPERATION_H

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <cstring>

#include "abi/operation_frame.h"
#include "log/growing_array.h"
#include "tx/runner.h"

namespace perdure::tx {

/// A portable operation (docs/abi.md) that its owner has others do: the body, and a copy of the locals that it works
/// on. Whoever takes it runs it on a copy of that copy, in frames of its own, and leaves here what was written. The
/// owner waits meanwhile, and its locals stay as they are until it knows how that ended. (EuroSys'20, Algorithm 3: the
/// request of step 1, and its result.)
///
/// One object a thread, which belongs to the owner while `outcome` is settled, and to who has taken it otherwise.
class AnnouncedOperation {
 public:
  enum class Outcome : std::uint8_t {
    pending,  ///< announced, or taken
    done,     ///< its transaction has committed, and what it wrote to its locals is here
    returned  ///< the transaction of who had taken it was rolled back, perhaps because of this one: the owner runs it
  };

  constexpr AnnouncedOperation() = default;

  /// Those that are larger cost more to copy than another thread saves.
  static constexpr std::size_t most_bytes = 2048;
  static constexpr std::size_t most_locals = 64;
  static constexpr std::size_t most_alignment = 64;
  static bool is_suitable(const abi::OperationFrame& frame);

  /// By the owner: what it announces next. \param operation  suitable.
  void copy(Operation operation, const abi::OperationFrame& frame);
  /// By the owner, when it is done: what was written comes to its locals.
  void take_results() const;

  /// By who has taken it: runs the body, in the middle of a transaction. May leave by an exception, or by `abort`.
  void run();

  /// Release: who acquires it sees what was written, here and elsewhere.
  void settle(Outcome outcome) { outcome_.store(outcome, std::memory_order_release); }
  Outcome outcome() const { return outcome_.load(std::memory_order_acquire); }

  void release() {
    copies_.release();
    locals_.release();
  }

 private:
  struct Local {
    std::byte* original;
    std::uint32_t place;  // among the copies
  };

  void redirect(std::byte* copies) const;

  Operation operation_{};
  const abi::OperationFrame* frame_ = nullptr;
  log::GrowingArray<Local> locals_;
  log::GrowingArray<std::byte> copies_;  // one behind the other; aligned where they are used
  std::atomic<Outcome> outcome_{Outcome::pending};
};

}  // namespace perdure::tx

#endif
