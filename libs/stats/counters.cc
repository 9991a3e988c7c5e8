#include "stats/counters.h"

#include <mutex>
#include <vector>

#include "persist/instance.h"

namespace perdure {
namespace stats {
namespace {

struct ThreadCounts {
  Counters* counters;
  persist::Counts* persistence;
};

/// Lives until the process ends: threads may withdraw after static destructors have begun.
struct Enrolment {
  std::mutex mutex;
  std::vector<ThreadCounts> threads;
  Statistics of_ended_threads;
};

Enrolment& enrolment() {
  static auto* const result = new Enrolment;
  return *result;
}

void add(Statistics& sum, const ThreadCounts& thread) {
  const Counters& counters = *thread.counters;
  const auto aborts = [&](AbortReason reason) { return counters.aborts[static_cast<std::size_t>(reason)].get(); };
  sum.commits += counters.commits.get();
  sum.read_only_commits += counters.read_only_commits.get();
  sum.aborts_locked += aborts(AbortReason::locked);
  sum.aborts_validation += aborts(AbortReason::validation);
  sum.aborts_exception += aborts(AbortReason::exception);
  sum.flushes += thread.persistence->flushes.get();
  sum.fences += thread.persistence->fences.get();
  sum.log_bytes += counters.log_bytes.get();
  sum.extensions += counters.extensions.get();
  sum.hourglass_turns += counters.hourglass_turns.get();
  sum.quiescence_waits += counters.quiescence_waits.get();
  sum.allocations += counters.allocations.get();
  sum.frees += counters.frees.get();
}

void reset(const ThreadCounts& thread) {
  Counters& counters = *thread.counters;
  for (Counter& aborts : counters.aborts) aborts.reset();
  for (Counter* counter : {&counters.commits, &counters.read_only_commits, &counters.log_bytes, &counters.extensions,
                           &counters.hourglass_turns, &counters.quiescence_waits, &counters.allocations,
                           &counters.frees, &thread.persistence->flushes, &thread.persistence->fences})
    counter->reset();
}

}  // namespace

void enroll_this_thread() {
  const std::scoped_lock lock(enrolment().mutex);
  enrolment().threads.push_back({&counters, &persist::counts});
}

void withdraw_this_thread() {
  const std::scoped_lock lock(enrolment().mutex);
  std::erase_if(enrolment().threads, [](const ThreadCounts& thread) {
    if (thread.counters != &counters) return false;
    add(enrolment().of_ended_threads, thread);
    return true;
  });
}

}  // namespace stats

Statistics statistics() {
  stats::Enrolment& enrolment = stats::enrolment();
  const std::scoped_lock lock(enrolment.mutex);
  Statistics sum = enrolment.of_ended_threads;
  for (const stats::ThreadCounts& thread : enrolment.threads) stats::add(sum, thread);
  return sum;
}

void reset_statistics() {
  stats::Enrolment& enrolment = stats::enrolment();
  const std::scoped_lock lock(enrolment.mutex);
  enrolment.of_ended_threads = {};
  for (const stats::ThreadCounts& thread : enrolment.threads) stats::reset(thread);
}

const char* library_name() { return instance.name; }

bool library_is_durable() { return instance.durable; }

}  // namespace perdure
