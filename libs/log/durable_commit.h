#ifndef PERDURE_LOG_DURABLE_COMMIT_H
#define PERDURE_LOG_DURABLE_COMMIT_H

#include "alloc/shading.h"
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
  /// Before the first write-back, by the owner of what it overwrites.
  static void shade_overwritten(const Writes& writes) {
    if constexpr (Mode::shades)
      if (alloc::is_marking()) [[unlikely]]
        shade_each(writes);
  }

  static void flush_data(const Writes& writes) {
    std::uintptr_t previous = 0;
    for (const auto& entry : writes) {
      const std::uintptr_t line = entry.address & ~(persist::line_bytes - 1);
      if (Mode::coalesced_flushes && line == previous) continue;  // neighbours are often written one after another
      Domain::flush(reinterpret_cast<const void*>(line));
      previous = line;
    }
  }

  /// For the tests of the crash simulator: steps of a commit that come too early. Nothing otherwise.
  template <class ReleaseLocks>
  static void misplace_steps(const Writes& writes, ReleaseLocks&& release_locks) {
    using persist::Fault;
    const bool early_locks = persist::is_seeded(Fault::release_locks_first);
    if (early_locks || persist::is_seeded(Fault::write_back_first))
      for (const auto& entry : writes) entry.write_back();
    if (early_locks) release_locks();
  }

 private:
  [[gnu::noinline, gnu::cold]] static void shade_each(const Writes& writes) {
    for (const auto& entry : writes) alloc::shade(reinterpret_cast<const void*>(entry.address), Writes::chunk_bytes);
  }
};

}  // namespace perdure::log

#endif
