#ifndef PERDURE_TX_RUNNER_H
#define PERDURE_TX_RUNNER_H

#include <concepts>
#include <cstddef>
#include <cstdint>

#include "abi/operation_frame.h"
#include "tx/algorithm.h"

namespace perdure::tx {

/// What a transaction is to do: `body(closure)`. A value: whoever has it can run it, as often as need be, as long as
/// what `closure` leads to is there.
struct Operation {
  void (*body)(void*);
  void* closure;

  void operator()() const { body(closure); }
};

/// Who runs operations, and by what means their accesses reach memory: all that the entry points know of transactions
/// (algorithms/instance.cc). One object a thread, `constinit`.
///
/// The caller's own thread is the first model (tx/transaction.h): it runs an operation until an attempt commits. In
/// another, `run` may hand the operation to others and run theirs meanwhile, more than one thread the same: then the
/// functions below are about the operation that *this* thread is just running, whosesoever it is, and each of those
/// threads calls those of its own object.
///
/// - `run(operation)`: returns when the operation has been executed once, as far as anybody can see, whoever did it. It
///   may leave by an exception of the operation. In an operation: as a part of it.
/// - `run_serially(operation)`: the same, alone (docs/serial.md). `become_serial()`: from here on.
/// - `read`, `write`: one access, naturally aligned, of up to 8 bytes. May leave by `abort` (tx/abort.h).
/// - `read_stripe`: bytes of one stripe at once; false where it cannot.
/// - `is_captured`, `may_write_directly`: whether bytes may be read, or written, where they are. (See `Bypass`.)
/// - `memory()`: blocks that the operation allocates and frees.
/// - `release()`: the thread ends.
template <class R>
concept Runner =
    requires(R runner, Operation operation, std::uint64_t* address, void* to, const void* from, std::size_t bytes) {
      { runner.run(operation) } -> std::same_as<void>;
      { runner.run_serially(operation) } -> std::same_as<void>;
      { runner.become_serial() } -> std::same_as<void>;
      { runner.is_running() } -> std::same_as<bool>;
      { runner.is_serial() } -> std::same_as<bool>;
      { runner.read(address) } -> std::same_as<std::uint64_t>;
      { runner.write(address, std::uint64_t{}) } -> std::same_as<void>;
      { runner.read_stripe(to, from, bytes) } -> std::same_as<bool>;
      { runner.is_captured(from, bytes) } -> std::same_as<bool>;
      { runner.may_write_directly(from, bytes) } -> std::same_as<bool>;
      { runner.save_local(to, bytes) } -> std::same_as<void>;
      { runner.allocate(bytes, bytes) } -> std::same_as<void*>;
      runner.memory().free(to);
      runner.memory().written_directly(to);
      { runner.release() } -> std::same_as<void>;
    };

/// Runners whose operations can be undone in part, and can wait. (perdure/nested.h, perdure/retry.h)
template <class R>
concept RunsParts = requires(R runner, int (*body)(void*), const int* cancelled) {
  { runner.run_part(body, nullptr) } -> std::same_as<int>;
  runner.retry();
  { runner.retry_unless(cancelled, std::uint64_t{}) } -> std::same_as<int>;
};

/// Runners of which one thread may run another's operations. `run_operation(operation, frame)`: as `run`, where `frame`
/// says what locals of the caller the operation works on.
template <class R>
concept RunsForOthers = requires(R runner, Operation operation, const abi::OperationFrame& frame) {
  { runner.run_operation(operation, frame) } -> std::same_as<void>;
};

/// Runners that put off what is added to counters (perdure/counting.h), and forget it where a block is freed.
template <class R>
concept AddsLater = requires(R runner, std::uint64_t* word, void* block) {
  { runner.add(word, std::uint64_t{}) } -> std::same_as<void>;
  { runner.counter_value(word) } -> std::same_as<std::uint64_t>;
  { runner.forget_additions(word) } -> std::same_as<void>;
  { runner.free(block) } -> std::same_as<void>;
};

template <Algorithm A>
class Transaction;

namespace detail {
template <class A>
struct ChosenRunner {
  using type = Transaction<A>;
};
template <class A>
  requires requires { typename A::Runner; }
struct ChosenRunner<A> {
  using type = typename A::Runner;
};
}  // namespace detail

/// What runs the operations of an algorithm: the caller's own thread, unless the algorithm names a `Runner`.
template <Algorithm A>
using RunnerOf = typename detail::ChosenRunner<A>::type;

}  // namespace perdure::tx

#endif
