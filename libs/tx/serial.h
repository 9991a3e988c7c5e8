#ifndef PERDURE_TX_SERIAL_H
#define PERDURE_TX_SERIAL_H

#include "sched/thread_registry.h"
#include "stats/counters.h"
#include "tx/algorithm.h"
#include "tx/memory_manager.h"

namespace perdure::tx {

/// What is different when a transaction is alone (docs/serial.md): it writes in place, and its commit cannot fail.
template <class A>
class Serial {
 public:
  constexpr Serial() = default;

  bool is_on() const { return is_on_; }

  /// Whether it writes elsewhere than other transactions do.
  bool writes_elsewhere() const { return !A::traits.writes_in_place && is_on_; }

  /// Nobody else runs a transaction, and nobody begins one.
  void begin(A& algorithm, MemoryManager<A>& memory) {
    is_on_ = true;
    stats::counters.serial_transactions.add(1);
    memory.will_write();
    if constexpr (!A::traits.writes_in_place) memory.capture_everything();
    if constexpr (requires { algorithm.go_in_place(); }) algorithm.go_in_place();
  }

  template <Memory M, class T>
  [[gnu::noinline, gnu::cold]] static void write(A& algorithm, T* address, T value) {
    if constexpr (!A::traits.writes_in_place) algorithm.in_place().template write<M>(address, value);
  }

  /// Before the algorithm commits, and so before anybody may begin. What can fail has failed at a write.
  /// \returns the blocks that the algorithm is to flush.
  const Captured& make_durable(A& algorithm, const MemoryManager<A>& memory) {
    // Also blocks that are otherwise written by way of the log: code that is not instrumented may have written there.
    if constexpr (A::traits.writes_in_place) return memory.captured();
    static constexpr Captured none;
    if constexpr (!A::traits.writes_in_place) algorithm.in_place().commit(memory.captured());
    return none;
  }

  /// It is over.
  void end(A& algorithm) {
    is_on_ = false;
    if constexpr (requires { algorithm.end_in_place(); }) algorithm.end_in_place();
  }

  /// Before the algorithm gives up its locks.
  void roll_back(A& algorithm) {
    if (!is_on_) return;
    if constexpr (!A::traits.writes_in_place) algorithm.in_place().roll_back();
    end(algorithm);
  }

 private:
  bool is_on_ = false;
};

}  // namespace perdure::tx

#endif
