#ifndef PERDURE_BENCHMARKS_SCALE_DURABLE_UNDO_H
#define PERDURE_BENCHMARKS_SCALE_DURABLE_UNDO_H

#include <bit>

#include "machine.h"

namespace perdure::scale {

/// What updates in place cost: libs/log/durable_undo.h.
class DurableUndo {
 public:
  /// \param every_access_locks  fences can be pipelined.
  DurableUndo(Machine& machine, bool every_access_locks)
      : machine_(machine), pipelined_(every_access_locks && machine.mode.pipelined_fences) {}

  static void begin(Thread& thread) { thread.undo_entries = 0; }

  Time entry(Thread& thread, const Access& access) const {
    const Mode& mode = machine_.mode;
    const double entries = mode.logs_chunks ? 1 : std::popcount(access.words);
    const bool is_first = thread.undo_entries == 0;
    thread.undo_entries += entries;
    const double factor = machine_.costs.fence_factor;
    const Time activation = machine_.flushes(1) + machine_.fences(mode.combined_activation ? 0 : 1);
    return (is_first ? activation : 0) +
           machine_.flushes(entries * machine_.costs.flush_factor * (mode.coalesced_flushes ? 1 : 2)) +
           (pipelined_ ? 0 : machine_.fences(entries * factor)) + entries * machine_.costs.write_chunk;
  }

  Time commit(const Thread& thread) const {
    const Work& work = *thread.work;
    if (!work.writes()) return work.captured_lines == 0 ? 0 : machine_.flushes(work.captured_lines) + machine_.fences();
    const double data = machine_.mode.coalesced_flushes ? work.data_lines : 0;
    return machine_.flushes(data + work.captured_lines + 1) + machine_.fences(pipelined_ ? 3 : 2);
  }

  Time roll_back(const Thread& thread) const {
    return thread.undo_entries == 0 ? 0 : machine_.flushes(thread.undo_entries + 1) + machine_.fences(2);
  }

 private:
  Machine& machine_;
  const bool pipelined_;
};

}  // namespace perdure::scale

#endif
