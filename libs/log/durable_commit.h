#ifndef PERDURE_LOG_DURABLE_COMMIT_H
#define PERDURE_LOG_DURABLE_COMMIT_H

#include "log/write_set.h"
#include "persist/domain.h"
#include "persist/fault.h"

namespace perdure::log {

/// What the two ways to make the commit of a lazy algorithm durable have in common.
template <class Mode, persist::Domain Domain>
class DurableCommit {
 public:
  using Writes = WriteSet<typename Mode::PoolEntry>;

  /// For a transaction that wrote nothing but the blocks it allocated: no log, but what it wrote must be durable, since
  /// a later transaction may link the blocks in without touching them.
  template <class Captured>
  static void flush_captured(const Captured& captured) {
    if (captured.empty()) return;
    captured.template flush<Domain>();
    Domain::fence();
  }

 protected:
  /// For the tests of the crash simulator: steps of a commit that come too early. Nothing otherwise.
  template <class ReleaseLocks>
  static void misplace_steps(const Writes& writes, ReleaseLocks&& release_locks) {
    using persist::Fault;
    const bool early_locks = persist::is_seeded(Fault::release_locks_first);
    if (early_locks || persist::is_seeded(Fault::write_back_first))
      for (const auto& entry : writes) entry.write_back();
    if (early_locks) release_locks();
  }
};

}  // namespace perdure::log

#endif
