#include "stats/counters.h"

#include <array>
#include <cstdlib>
#include <mutex>
#include <vector>

#include "htm/offer.h"
#include "persist/instance.h"
#include "sched/hold_during_fork.h"

namespace perdure {
namespace stats {
namespace {

struct ThreadCounts {
  Counters* counters;
  persistence::Counts* persistence;
};

/// Lives until the process ends: threads may withdraw after static destructors have begun.
struct Enrolment {
  std::mutex mutex;
  std::vector<ThreadCounts> threads;
  Statistics of_ended_threads;
};

Enrolment& enrolment();
std::mutex& enrolment_mutex() { return enrolment().mutex; }
void forget_threads();

Enrolment& enrolment() {
  static auto* const result = [] {
    sched::hold_during_fork<enrolment_mutex, forget_threads>();
    // Not by an object in report.cc: nothing else would make the linker take that out of the archive.
    std::atexit(report);
    return new Enrolment;
  }();
  return *result;
}

/// Where a thread counts what a field of the sum is made of.
struct Source {
  std::uint64_t Statistics::* sum;
  Counter Counters::* counter;
};

constexpr std::array sources = {
    Source{&Statistics::commits, &Counters::commits},
    Source{&Statistics::read_only_commits, &Counters::read_only_commits},
    Source{&Statistics::log_bytes, &Counters::log_bytes},
    Source{&Statistics::retired_lines, &Counters::retired_lines},
    Source{&Statistics::redo_lookups, &Counters::redo_lookups},
    Source{&Statistics::redo_hits, &Counters::redo_hits},
    Source{&Statistics::validations, &Counters::validations},
    Source{&Statistics::extensions, &Counters::extensions},
    Source{&Statistics::hourglass_turns, &Counters::hourglass_turns},
    Source{&Statistics::quiescence_waits, &Counters::quiescence_waits},
    Source{&Statistics::quiescence_nanoseconds, &Counters::quiescence_nanoseconds},
    Source{&Statistics::allocations, &Counters::allocations},
    Source{&Statistics::frees, &Counters::frees},
    Source{&Statistics::serial_transactions, &Counters::serial_transactions},
    Source{&Statistics::solitudes, &Counters::solitudes},
    Source{&Statistics::hardware_commits, &Counters::hardware_commits},
    Source{&Statistics::hardware_aborts, &Counters::hardware_aborts},
    Source{&Statistics::bytes_given_back, &Counters::bytes_given_back},
    Source{&Statistics::replica_turns, &Counters::replica_turns},
    Source{&Statistics::commits_for_others, &Counters::commits_for_others},
};

void add(Statistics& sum, const ThreadCounts& thread) {
  const auto aborts = [&](AbortReason reason) {
    return thread.counters->aborts[static_cast<std::size_t>(reason)].get();
  };
  for (const Source& source : sources) sum.*source.sum += (thread.counters->*source.counter).get();
  sum.aborts_locked += aborts(AbortReason::locked);
  sum.aborts_validation += aborts(AbortReason::validation);
  sum.aborts_exception += aborts(AbortReason::exception);
  sum.waits += aborts(AbortReason::retry);
  sum.flushes += thread.persistence->flushes.get();
  sum.fences += thread.persistence->fences.get();
}

void reset(const ThreadCounts& thread) {
  for (const Source& source : sources) (thread.counters->*source.counter).reset();
  for (Counter& aborts : thread.counters->aborts) aborts.reset();
  thread.persistence->flushes.reset();
  thread.persistence->fences.reset();
}

/// What they counted is kept, as of threads that end.
void forget_threads() {
  for (const ThreadCounts& thread : enrolment().threads) {
    add(enrolment().of_ended_threads, thread);
    reset(thread);
  }
  enrolment().threads.clear();
}

}  // namespace

void enroll_this_thread() {
  const std::scoped_lock lock(enrolment().mutex);
  enrolment().threads.push_back({&counters, &persistence::counts});
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
  sum.replicas = stats::replicas.superblocks();
  sum.replica_bytes = stats::replicas.bytes();
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
bool library_lacks_hardware() {
  return (instance.locks_in_hardware || instance.runs_in_hardware) && htm::offer() != htm::Offer::works;
}

}  // namespace perdure
