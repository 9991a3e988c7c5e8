#include "delays.h"

#include <sched.h>
#include <atomic>
#include <csignal>
#include <cstddef>
#include <ctime>
#include <system_error>

#include "persist/sanitizers.h"

namespace perdure::delays {
namespace {

/// What one thread suffers from one cause. Constant-initialised and trivially destructible: a signal handler uses it.
class Source {
 public:
  constexpr Source() = default;
  constexpr Source(const Rates& rates, std::uint32_t seed) : rates_(rates), state_(seed * 2 + 1) {}

  void maybe_wait() {
    if (rates_.yield == 0) return;
    if (is_one_in(rates_.yield)) sched_yield();
    if (is_one_in(rates_.sleep)) sleep(10'000 + next() % 50'000);
    if (is_one_in(rates_.stall)) sleep(1'000'000);
  }

  // xorshift (Marsaglia 2003)
  std::uint32_t next() {
    state_ ^= state_ << 13;
    state_ ^= state_ >> 17;
    state_ ^= state_ << 5;
    return state_;
  }

 private:
  bool is_one_in(std::uint32_t rate) { return rate != 0 && next() % rate == 0; }

  static void sleep(long nanoseconds) {
    const timespec duration = {0, nanoseconds};
    nanosleep(&duration, nullptr);
  }

  Rates rates_;
  std::uint32_t state_ = 1;
};

constinit thread_local Source at_accesses;
constinit thread_local Source within_the_library;
constinit thread_local Source anywhere;
constinit std::atomic<bool> is_interruptible{false};
constinit thread_local timer_t timer_of_thread = nullptr;

void arm() {
  const itimerspec once = {{0, 0}, {0, 20'000 + static_cast<long>(anywhere.next() % 200'000)}};
  timer_settime(timer_of_thread, 0, &once, nullptr);
}

void interrupt(int) {
  if (timer_of_thread == nullptr) return;  // this one was on its way when the timer was deleted
  const int error = errno;
  anywhere.maybe_wait();
  arm();
  errno = error;
}

void check(int result) {
  if (result != 0) throw std::system_error(errno, std::generic_category());
}

}  // namespace

AtAccesses::AtAccesses(const Rates& rates, std::uint32_t seed) { at_accesses = Source(rates, seed); }
AtAccesses::~AtAccesses() { at_accesses = Source(); }

WithinTheLibrary::WithinTheLibrary(const Rates& rates, std::uint32_t seed) { within_the_library = Source(rates, seed); }
WithinTheLibrary::~WithinTheLibrary() { within_the_library = Source(); }

bool library_is_interruptible() { return is_interruptible; }

Anywhere::Anywhere([[maybe_unused]] const Rates& rates, [[maybe_unused]] std::uint32_t seed) {
#ifndef PERDURE_THREAD_SANITIZER
  if (rates.yield == 0) return;
  struct sigaction action{};
  action.sa_handler = interrupt;
  action.sa_flags = SA_RESTART;
  check(sigaction(SIGUSR1, &action, nullptr));
  sigevent event{};
  event.sigev_notify = SIGEV_THREAD_ID;
  event.sigev_signo = SIGUSR1;
  event._sigev_un._tid = gettid();
  anywhere = Source(rates, seed);
  check(timer_create(CLOCK_MONOTONIC, &event, &timer_));
  timer_of_thread = timer_;
  arm();
#endif
}

Anywhere::~Anywhere() {
  if (timer_ == nullptr) return;
  timer_of_thread = nullptr;
  timer_delete(timer_);
}

namespace {

/// Before and after, so that there is also a delay between the last access and the commit.
template <class Access>
auto delayed(Access&& access) {
  struct Delay {
    Delay() { at_accesses.maybe_wait(); }
    ~Delay() { at_accesses.maybe_wait(); }
  } const delay;
  return access();
}

/// Before a load, store or branch of the library.
void interrupt_library() {
  if (!is_interruptible.load(std::memory_order_relaxed)) is_interruptible.store(true, std::memory_order_relaxed);
  within_the_library.maybe_wait();
}

}  // namespace
}  // namespace perdure::delays

// NOLINTBEGIN(bugprone-reserved-identifier): the names that the linker and the compiler call
extern "C" {

#define PERDURE_TYPE(suffix, type)                                                          \
  type __real_perdure_read_##suffix(type const*);                                           \
  void __real_perdure_write_##suffix(type*, type);                                          \
  type __wrap_perdure_read_##suffix(type const* address) {                                  \
    return perdure::delays::delayed([&] { return __real_perdure_read_##suffix(address); }); \
  }                                                                                         \
  void __wrap_perdure_write_##suffix(type* address, type value) {                           \
    perdure::delays::delayed([&] { __real_perdure_write_##suffix(address, value); });       \
  }
#include "abi/types.def"

void __real_perdure_read_bytes(void*, const void*, std::size_t);
void __wrap_perdure_read_bytes(void* to, const void* from, std::size_t size) {
  perdure::delays::delayed([&] { __real_perdure_read_bytes(to, from, size); });
}

void __real_perdure_write_bytes(void*, const void*, std::size_t);
void __wrap_perdure_write_bytes(void* to, const void* from, std::size_t size) {
  perdure::delays::delayed([&] { __real_perdure_write_bytes(to, from, size); });
}

void __sanitizer_cov_trace_pc() { perdure::delays::interrupt_library(); }

#define PERDURE_COVERED(bytes)                                                            \
  void __sanitizer_cov_load##bytes(const void*) { perdure::delays::interrupt_library(); } \
  void __sanitizer_cov_store##bytes(const void*) { perdure::delays::interrupt_library(); }
PERDURE_COVERED(1)
PERDURE_COVERED(2)
PERDURE_COVERED(4)
PERDURE_COVERED(8)
PERDURE_COVERED(16)

}  // NOLINTEND(bugprone-reserved-identifier)
