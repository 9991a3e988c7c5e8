#include "open/background_mark.h"

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <new>
#include <system_error>
#include <thread>
#include <vector>

#include "stats/counters.h"

namespace perdure::opening {
namespace {

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
  const auto work = [&mark, markers = cores > 2 ? cores - 1 : 1] {
    stats::enroll_this_thread();
    mark_with(mark, markers);
    stats::withdraw_this_thread();
  };
  try {
    first_.emplace(work);
  } catch (const std::system_error&) {
    mark_at_once(mark);
  }
}

void mark_at_once(alloc::Mark& mark) { mark_with(mark, 1); }

}  // namespace perdure::opening
