#include "sched/waiters.h"

#include <algorithm>
#include <mutex>

#include "sched/hold_during_fork.h"
#include "sync/futex.h"

#ifdef PERDURE_SIMULATED
#include <sched.h>
#endif

namespace perdure::sched {

/// Lives until the process ends: threads may wait when static destructors have begun.
struct Waiters::Enrolment {
  std::mutex mutex;
  std::vector<Waiter*> waiters;

  static std::mutex& its_mutex() { return enrolment().mutex; }

  /// Those that wait are other threads, which a forked child does not have.
  static void forget_threads() {
    enrolment().waiters.clear();
    sched::waiters.publish({});
  }
};

Waiters::Enrolment& Waiters::enrolment() {
  static auto* const result = [] {
    hold_during_fork<Enrolment::its_mutex, Enrolment::forget_threads>();
    return new Enrolment;
  }();
  return *result;
}

bool Waiter::is_cancelled() const {
  return std::ranges::any_of(cancellations, [](const int* cancelled) { return is_set(cancelled); });
}

void Waiter::sleep() {
  // Acquire: behind all that the one did that has woken it.
  while (is_woken_.load(std::memory_order_acquire) == 0 && (deadline == never || sync::now() < deadline))
#ifdef PERDURE_SIMULATED
    sched_yield();  // the scheduler of the simulator lets one thread run at a time
#else
    sync::sleep_until(is_woken_, 0, deadline);
#endif
}

void Waiter::wake() {
  if (is_woken_.exchange(1, std::memory_order_release) == 0) sync::wake(is_woken_, ~0U);
}

void Waiters::enroll(Waiter& waiter) {
  Enrolment& all = enrolment();
  const std::scoped_lock lock(all.mutex);
  all.waiters.push_back(&waiter);
  publish(all.waiters);
}

void Waiters::withdraw(Waiter& waiter) {
  Enrolment& all = enrolment();
  const std::scoped_lock lock(all.mutex);
  std::erase(all.waiters, &waiter);
  publish(all.waiters);
}

/// The count comes last, sequentially consistent: whoever sees it sees the filters, and what the thread reads next it
/// reads later. No bit of a waiter that stays is missing in between.
void Waiters::publish(const std::vector<Waiter*>& all) {
  for (std::size_t i = 0; i < sync::Filter::words; ++i) {
    std::uint64_t word = 0;
    for (const Waiter* const waiter : all) word |= waiter->read.word(i);
    read_[i].store(word, std::memory_order_release);
  }
  count_.exchange(static_cast<std::uint32_t>(all.size()), std::memory_order_seq_cst);
}

namespace {

bool have_common_bits(const sync::Filter& one, const sync::Filter& other) {
  std::uint64_t common = 0;
  for (std::size_t i = 0; i < sync::Filter::words; ++i) common |= one.word(i) & other.word(i);
  return common != 0;
}

}  // namespace

bool Waiters::may_be_concerned(const sync::Filter& written) const {
  std::atomic_thread_fence(std::memory_order_seq_cst);  // behind the locks of the commit, as the count was
  std::uint64_t common = 0;
  for (std::size_t i = 0; i < sync::Filter::words; ++i)
    common |= read_[i].load(std::memory_order_acquire) & written.word(i);
  return common != 0;
}

void Waiters::wake(const sync::Filter& written) const {
  if (!may_be_concerned(written)) return;
  Enrolment& all = enrolment();
  const std::scoped_lock lock(all.mutex);
  for (Waiter* const waiter : all.waiters)
    if (have_common_bits(waiter->read, written)) waiter->wake();
}

void Waiters::wake(const int& cancelled) const {
  Enrolment& all = enrolment();
  const std::scoped_lock lock(all.mutex);
  for (Waiter* const waiter : all.waiters)
    if (std::ranges::find(waiter->cancellations, &cancelled) != waiter->cancellations.end()) waiter->wake();
}

}  // namespace perdure::sched
