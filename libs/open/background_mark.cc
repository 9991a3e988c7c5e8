#include "open/background_mark.h"

#include <pthread.h>

#include <algorithm>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <new>
#include <system_error>
#include <vector>

#include "pool/fork.h"
#include "stats/counters.h"

namespace perdure::recovery {
namespace {

/// While it lives, threads that are started get no signals: the program's handlers are for its own threads.
class SignalsBlocked {
 public:
  SignalsBlocked() {
    sigset_t all;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before_);
  }
  SignalsBlocked(const SignalsBlocked&) = delete;
  SignalsBlocked& operator=(const SignalsBlocked&) = delete;
  ~SignalsBlocked() { pthread_sigmask(SIG_SETMASK, &before_, nullptr); }

 private:
  sigset_t before_;
};

void visit_all(alloc::Mark& mark) {
  try {
    alloc::Marker(mark).run();
  } catch (const std::bad_alloc&) {
    std::fputs("perdure: no memory to find the blocks in use after a crash. Give the process more memory.\n", stderr);
    std::abort();
  }
}

/// As many as can be started, up to `count`.
std::vector<std::thread> start_markers(alloc::Mark& mark, unsigned count) {
  std::vector<std::thread> markers;
  try {
    while (markers.size() < count) markers.emplace_back(visit_all, std::ref(mark));
  } catch (const std::system_error&) {
    // The others do its work.
  }
  return markers;
}

void mark_with(alloc::Mark& mark, unsigned markers) {
  std::vector<std::thread> others = start_markers(mark, markers - 1);
  visit_all(mark);
  for (std::thread& other : others) other.join();
  mark.sweep();
}

}  // namespace

BackgroundMark::BackgroundMark(alloc::Mark& mark) {
  const unsigned cores = std::thread::hardware_concurrency();
  const SignalsBlocked blocked;
  const auto work = [&mark, markers = cores > 2 ? cores - 1 : 1] {
    stats::enroll_this_thread();
    mark_with(mark, markers);
    stats::withdraw_this_thread();
  };
  try {
    first_ = std::thread(work);
  } catch (const std::system_error&) {
    mark_at_once(mark);
  }
}

BackgroundMark::~BackgroundMark() {
  if (pool::is_forked_child())
    new std::thread(std::move(first_));  // nothing to wait for, and none to detach
  else if (first_.joinable())
    first_.join();
}

void mark_at_once(alloc::Mark& mark) { mark_with(mark, 1); }

}  // namespace perdure::recovery
