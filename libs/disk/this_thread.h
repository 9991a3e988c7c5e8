#ifndef PERDURE_DISK_THIS_THREAD_H
#define PERDURE_DISK_THIS_THREAD_H

#include <cstdint>

#include "disk/commit_position.h"

namespace perdure::disk {

class PoolLog;

/// What this thread has to do with logs.
struct ThisThread {
  std::uint64_t appended = 0;     // a bit for the slot of each log that it has appended to, and not awaited
  std::uint64_t left_behind = 0;  // the same for what it has committed and was not to wait for
  PoolLog* pinned = nullptr;
  std::uint64_t admitted_blocks = 0;
  Acknowledgement acknowledgement = Acknowledgement::as_the_pool;
  CommitPosition last_commit;
  bool has_seen_only_durable = false;  // the transaction that is about to return, which has only read
};
inline thread_local constinit ThisThread this_thread;

}  // namespace perdure::disk

#endif
