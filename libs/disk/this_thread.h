#ifndef PERDURE_DISK_THIS_THREAD_H
#define PERDURE_DISK_THIS_THREAD_H

#include <cstdint>

#include "disk/commit_position.h"
#include "sync/clock.h"

namespace perdure::disk {

class PoolLog;

/// What this thread has to do with logs.
struct ThisThread {
  std::uint64_t appended = 0;             // a bit for the slot of each log that it has appended to, and not awaited
  std::uint64_t left_behind = 0;          // the same for what it has committed and was not to wait for
  const PoolLog* committed_in = nullptr;  // the log of the last record of the commit that is about to return
  std::uint64_t committed_end = 0;        // of that record
  PoolLog* pinned = nullptr;
  std::uint64_t admitted_blocks = 0;
  Acknowledgement acknowledgement = Acknowledgement::as_the_pool;
  CommitPosition last_commit;
  std::uint64_t newest_seen = sync::any_time;  // by the transaction that is about to return
};
inline thread_local constinit ThisThread this_thread;

}  // namespace perdure::disk

#endif
