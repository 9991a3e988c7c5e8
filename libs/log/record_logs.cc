#include "log/record_logs.h"

#include <algorithm>

#include "log/announcement.h"
#include "log/retirement.h"
#include "persist/domain.h"
#include "persist/lines.h"
#include "persist/step.h"
#include "pool/format.h"
#include "sched/thread_registry.h"
#include "stats/counters.h"

namespace perdure::log {

namespace {

std::size_t batch_bytes_for(std::size_t log_budget) {
  // Records wait in four batches: one is being written, one flushed, one covered by the watermark that is being made
  // durable; and one has just begun when that is known.
  constexpr std::size_t batches = 4;
#ifdef PERDURE_SIMULATED
  log_budget = batches * 2 * persistence::line_bytes;
#endif
  return std::max(log_budget / batches, 2 * persistence::line_bytes);
}

}  // namespace

void RecordLogs::open(alloc::Heap& heap, std::size_t log_budget) {
  watermark_.attach(watermark_in(heap.mapping().base()));
  batch_bytes_ = batch_bytes_for(log_budget);
  heap_ = &heap;
  retirement_queue();  // which sees to forks
}

RecordLog& RecordLogs::acquire() {
  for (RecordLog* log = first_.load(std::memory_order_acquire); log != nullptr; log = log->next)
    if (log->try_acquire()) return *log;
  auto* const log = new RecordLog;
  log->try_acquire();
  log->next = first_.load(std::memory_order_relaxed);
  while (!first_.compare_exchange_weak(log->next, log, std::memory_order_release, std::memory_order_relaxed)) {
  }
  return *log;
}

std::uint64_t RecordLogs::flushed_through(std::uint64_t now) const {
  const std::uint64_t committing = oldest_announced();
  std::uint64_t time = std::min(now, committing - 1);
  for_each([&](const RecordLog& log) {
    // Behind the announcements, and in this order: log/announcement.h.
    const std::uint64_t completed = log.completed();
    const std::uint64_t flushed = log.flushed_through();
    if (flushed < completed) time = std::min(time, flushed);
  });
  return time;
}

void RecordLogs::make_durable(RecordLog& log) {
  persistence::StoredLines<256> lines;
  const auto position = log.flush_data([&lines](std::uint64_t address) {
    if (lines.flush(address)) stats::counters.retired_lines.add(1);
  });
  persistence::fence();
  log.note_flushed(position);
}

void RecordLogs::help_those_behind(std::uint64_t time) {
  for_each([&](RecordLog& log) {
    if (log.has_unflushed() && log.flushed_through() < time) make_durable(log);
  });
}

void RecordLogs::retire(std::uint64_t now) {
  // Without logs, as in all modes but `fast`, the watermark says nothing.
  if (heap_ == nullptr || first_.load(std::memory_order_acquire) == nullptr) return;
  help_those_behind(now);
  const std::uint64_t time = flushed_through(now);
  watermark_.raise(time);
  persistence::fence();
  watermark_.became_durable(time);
  for_each([&](RecordLog& log) { log.trim(*heap_, watermark_); });
}

void RecordLogs::retire_all() {
  if (heap_ == nullptr) return;
  std::uint64_t newest = 0;
  for_each([&](const RecordLog& log) { newest = std::max(newest, log.completed()); });
  retire(newest);
}

void RecordLogs::close() {
  retire_all();
  // Also where nothing was opened: a transaction may have asked for the log of a pool that is only read.
  for_each([](RecordLog& log) { log.reset(); });
  heap_ = nullptr;
}

std::uint64_t RecordLogs::reuse_horizon() const {
  const std::uint64_t durable = watermark_.durable();
  std::uint64_t horizon = sched::never;
  for_each([&](const RecordLog& log) {
    if (log.completed() > durable) horizon = durable;
  });
  return horizon;
}

std::uint64_t reuse_horizon_of_records() {
  std::uint64_t horizon = sched::never;
  persistence::perform<persistence::Step::reuse_limited>([&] {
    for (const RecordLogs& logs : record_logs) horizon = std::min(horizon, logs.reuse_horizon());
  });
  return horizon;
}

}  // namespace perdure::log
