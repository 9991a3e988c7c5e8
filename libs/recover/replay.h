#ifndef PERDURE_RECOVER_REPLAY_H
#define PERDURE_RECOVER_REPLAY_H

#include <cstdint>

#include "alloc/heap.h"

namespace perdure::recover {

struct ReplayReport {
  std::uint64_t transactions = 0;  ///< rolled forward
  std::uint64_t rolled_back = 0;
  std::uint64_t bytes = 0;
};

/// Writes every committed transaction that its log still vouches for to its place, in commit order, undoes what others
/// have changed in place, and retires the logs; likewise what records hold (recover/replay_records.h), and what
/// transactions over several pools have prepared. May be interrupted and repeated: replay is idempotent, and logs are
/// retired oldest first.
/// \throws PoolError (Kind::damaged), naming the log, if an active log is not well formed, (Kind::pool_missing) if it
/// cannot be told whether it counts; nothing has been written then.
ReplayReport replay_logs(alloc::Heap& heap);

/// Called before a pool is closed, when no transaction runs: retires the logs in it, and frees what was freed and had
/// to wait.
void before_close(alloc::Heap& heap);

/// The same while the pool stays open: no transaction runs, in any pool. Then a block is in use or free, and none
/// waits.
void free_what_waits(alloc::Heap& heap);

/// The layers above register what they have to do before a close. Hooks are called in the order of registration, from
/// then on for every pool.
void add_close_hook(void (*hook)(alloc::Heap&));

}  // namespace perdure::recover

#endif
