#ifndef PERDURE_TX_ANNOUNCED_OPERATION_H
#define PERDURE_TX_ANNOUNCED_OPERATION_H

#include <atomic>
#include <cstddef>
#include <cstdint>

#include "abi/operation_frame.h"
#include "log/growing_array.h"
#include "tx/operation_layout.h"
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

  /// By the owner: what it announces next. \param operation  suitable.
  void copy(Operation operation, const abi::OperationFrame& frame);
  /// By the owner, when it is done: what was written comes to its locals.
  void take_results() const;

  /// By who has taken it: runs the body, in the middle of a transaction. May leave by an exception, or by `abort`.
  void run();

  /// Release: who acquires it sees what was written, here and elsewhere.
  void settle(Outcome outcome) { outcome_.store(outcome, std::memory_order_release); }
  Outcome outcome() const { return outcome_.load(std::memory_order_acquire); }

  void release() { copies_.release(); }

 private:
  Operation operation_{};
  const abi::OperationFrame* frame_ = nullptr;
  log::GrowingArray<std::byte> copies_;  // aligned where they are used
  std::atomic<Outcome> outcome_{Outcome::pending};
};

}  // namespace perdure::tx

#endif
