#ifndef PERDURE_SCHED_UNVERSIONED_COMMITS_H
#define PERDURE_SCHED_UNVERSIONED_COMMITS_H

#include <atomic>
#include <cstdint>

#include "persist/fault.h"

namespace perdure::sched {

/// Changes whenever transactions have written in place and left the versions as they were: those of a sole thread
/// (sched/sole_thread.h), and a serial one. It changes behind what they did, and before anybody else can see that.
inline constinit std::atomic<std::uint64_t> unversioned_commits{0};

inline void note_unversioned_commits() noexcept {
  if (persistence::is_seeded(persistence::Fault::versions_believed)) return;
  unversioned_commits.fetch_add(1, std::memory_order_release);
}

}  // namespace perdure::sched

#endif
