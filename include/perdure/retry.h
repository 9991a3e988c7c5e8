#ifndef PERDURE_RETRY_H
#define PERDURE_RETRY_H

#include <chrono>
#include <cstdint>
#include <exception>

#include "perdure/waiting.h"

namespace perdure {

/// The time that a transaction wanted to wait is over.
class RetryTimeout : public std::exception {
 public:
  const char* what() const noexcept override {
    return "perdure: nothing that the transaction waits for has changed in the time of retry_for";
  }
};

/// Somebody has called `cancel`.
class RetryCancelled : public std::exception {
 public:
  const char* what() const noexcept override { return "perdure: the transaction's waiting was cancelled"; }
};

/// Ends the waiting of other threads' transactions, as often as they wait with it. To end it by a std::stop_token:
/// `std::stop_callback stop(token, [&] { cancellation.cancel(); });`
class Cancellation {
 public:
  Cancellation() = default;
  Cancellation(const Cancellation&) = delete;
  Cancellation& operator=(const Cancellation&) = delete;

  /// All that wait with it are woken, and nobody waits with it any more: there is no way back. Not in a transaction,
  /// which may be rolled back; perdure::on_commit does it behind one.
  void cancel() noexcept { perdure_cancel(&state_); }
  bool is_cancelled() const noexcept { return perdure_is_cancelled(&state_) != 0; }

  /// The same for functions of C (perdure/waiting.h).
  const perdure_cancellation* state() const noexcept { return &state_; }

 private:
  perdure_cancellation state_{};
};

namespace detail {
inline constexpr std::uint64_t for_ever = ~std::uint64_t{0};

template <class Representation, class Period>
std::uint64_t nanoseconds(std::chrono::duration<Representation, Period> duration) {
  if (duration > std::chrono::duration<double>(1e9)) return for_ever;  // it would not fit
  const auto count = std::chrono::duration_cast<std::chrono::nanoseconds>(duration).count();
  return count > 0 ? static_cast<std::uint64_t>(count) : 0;
}
}  // namespace detail

/// The running transaction cannot go on with what it has read. It is rolled back, and waits, without using the
/// processor, until a transaction has changed something that it read, durably; then it is run again. Of alternatives
/// (TM_OR_ELSE) the next one runs instead.
///
/// It waits for transactions of this process, and for memory that they write in transactions: what is changed outside
/// of them wakes nobody. It may wait for ever. A serial transaction cannot wait: it throws Error.
[[noreturn]] inline void retry() { perdure_retry(); }

#ifdef __cpp_exceptions  // otherwise nobody could be told that the time is over

/// The same, for no longer than `duration` since the transaction came here first, in its first attempt. Several in one
/// transaction, as in alternatives, are over at the earliest.
/// \param duration  any of std::chrono; 0 or less does not wait.
/// \throws RetryTimeout in the transaction, when it comes here again after that: it goes on where it is caught. If it
/// leaves the transaction, that is rolled back, as with any exception.
template <class Representation, class Period>
[[noreturn]] void retry_for(std::chrono::duration<Representation, Period> duration) {
  perdure_retry_unless(nullptr, detail::nanoseconds(duration));
  throw RetryTimeout();
}

/// `retry` as long as nobody cancels it.
/// \param cancellation  must live as long as somebody may wait with it. It is no part of the transaction: also a part
/// that was undone in favour of another one is woken by it.
/// \throws RetryCancelled in the transaction, like RetryTimeout: at once, if it is cancelled already.
[[noreturn]] inline void retry(const Cancellation& cancellation) {
  perdure_retry_unless(cancellation.state(), detail::for_ever);
  throw RetryCancelled();
}

/// Both: `retry` for no longer than `duration`, and as long as nobody cancels it.
/// \throws RetryTimeout or RetryCancelled, in the transaction.
template <class Representation, class Period>
[[noreturn]] void retry_for(std::chrono::duration<Representation, Period> duration, const Cancellation& cancellation) {
  perdure_retry_unless(cancellation.state(), detail::nanoseconds(duration));
  if (cancellation.is_cancelled()) throw RetryCancelled();
  throw RetryTimeout();
}

#endif

}  // namespace perdure

/// In a transaction: it waits (see perdure::retry).
#define TM_RETRY ::perdure::retry()

#endif
