// When transactions return, and who is told what is durable.
#include <sys/eventfd.h>

#include <algorithm>
#include <iterator>
#include <mutex>
#include <utility>
#include <vector>

#include "disk/pool_log.h"
#include "disk/this_thread.h"
#include "perdure/error.h"
#include "persist/fault.h"

namespace perdure::disk {
namespace {

/// Calls `function(log)` for each that is in use.
template <class Function>
void for_each_log(Function&& function) {
  unsigned rest = detail::logs_in_use.load(std::memory_order_relaxed);
  for (auto slot = detail::pool_logs.begin(); rest != 0 && slot != detail::pool_logs.end(); ++slot)
    if (PoolLog* const log = slot->load(std::memory_order_acquire); log != nullptr) function(*log), --rest;
}

/// Logs that were poisoned, of pools that are closed.
struct LostLogs {
  std::mutex mutex;
  std::vector<std::uint64_t> openings;
};
LostLogs& lost_logs() {
  static auto* const logs = new LostLogs;  // a pool in a static variable may be closed late
  return *logs;
}

/// The log that the commit is in, while that is open.
PoolLog* log_with(const CommitPosition& commit) {
  PoolLog* const log = detail::pool_logs[commit.slot].load(std::memory_order_acquire);
  return log != nullptr && log->position().opening == commit.opening ? log : nullptr;
}

void require_closed_well(const CommitPosition& commit) {
  const std::scoped_lock lock(lost_logs().mutex);
  if (std::ranges::find(lost_logs().openings, commit.opening) != lost_logs().openings.end())
    throw DurabilityError(
        "perdure: whether a commit is durable is not known: its pool was closed after its disk had failed. Open the "
        "pool again: it is recovered, with every transaction that was durable.");
}

}  // namespace

void PoolLog::note_lost() const {
  const std::scoped_lock lock(lost_logs().mutex);
  lost_logs().openings.push_back(opening_);
}

void PoolLog::await_noted() noexcept {
  const std::uint64_t noted = std::exchange(this_thread.appended, 0);
  if (noted == 0) return;
  for_each_log([noted](PoolLog& log) {
    if ((noted & log.bit()) == 0) return;
    try {
      log.ring_->await(log.ring_->appended());
    } catch (const DurabilityError&) {
      this_thread.appended |= log.bit();  // whoever commits is told
    }
  });
}

void PoolLog::note_commit(std::uint64_t end) const {
  this_thread.committed_in = this;
  this_thread.committed_end = end;
}

/// What a transaction has seen was appended before its own record, since that comes before locks are released: so one
/// that has written to the pool waits for that record, which others may follow already. Others wait for what they have
/// read.
std::uint64_t PoolLog::end_of_what_was_seen(std::uint64_t newest_seen) noexcept {
  if (this_thread.committed_in == this) {
    this_thread.committed_in = nullptr;
    return this_thread.committed_end;
  }
  const bool is_known = newest_seen != sync::any_time && this_thread.appended == 0 &&
                        (this_thread.left_behind & bit()) == 0 && detail::logs_in_use.load() == 1;
  return is_known ? durable_time_.position_of(newest_seen, *ring_) : ring_->appended();
}

void PoolLog::acknowledge(Acknowledgement how, std::uint64_t newest_seen) {
  const bool has_appended = (this_thread.appended & bit()) != 0;
  if (!has_appended && (is_poisoned() || persistence::is_seeded(persistence::Fault::reader_not_waiting))) return;
  const std::uint64_t end = end_of_what_was_seen(newest_seen);
  if (has_appended || this_thread.last_commit.opening == 0) this_thread.last_commit = {slot(), opening_, end};
  this_thread.appended &= ~bit();
  const bool is_relaxed =
      how == Acknowledgement::as_the_pool ? options_.lag.has_value() : how == Acknowledgement::relaxed;
  if (persistence::is_seeded(persistence::Fault::commit_not_waiting)) return;
  if (!is_relaxed) {
    durable_time_.advance(*ring_);  // a sample that is durable when the wait is over
    ring_->await(end);
    durable_time_.advance(*ring_);
    this_thread.left_behind &= ~bit();
  } else if (has_appended) {
    require_sound();
    this_thread.left_behind |= bit();
    flusher_->note_append();
  }
  if (has_appended) request_checkpoint_when_filled();
}

std::uint64_t durable_time() noexcept {
  if (detail::logs_in_use.load(std::memory_order_relaxed) != 1) return 0;
  std::uint64_t time = 0;
  for_each_log([&time](const PoolLog& log) { time = log.durable_time(); });
  return time;
}

void acknowledge_commit() {
  const Acknowledgement how = std::exchange(this_thread.acknowledgement, Acknowledgement::as_the_pool);
  this_thread.last_commit = {};
  const std::uint64_t newest_seen = std::exchange(this_thread.newest_seen, sync::any_time);
  const bool has_only_read = (this_thread.appended | this_thread.left_behind) == 0;
  if (const std::uint64_t time = durable_time(); has_only_read && time != 0 && newest_seen <= time) return;
  for_each_log([=](PoolLog& log) { log.acknowledge(how, newest_seen); });
}

void acknowledge(Acknowledgement how) noexcept { this_thread.acknowledgement = how; }
void forget_commit() noexcept {
  this_thread.acknowledgement = Acknowledgement::as_the_pool;
  this_thread.appended = 0;
  this_thread.committed_in = nullptr;
}

const CommitPosition& last_commit() noexcept { return this_thread.last_commit; }

bool is_durable(const CommitPosition& commit) {
  if (commit.opening == 0) return true;
  PoolLog* const log = log_with(commit);
  if (log == nullptr) return require_closed_well(commit), true;
  if (log->durable() >= commit.position) return true;
  log->require_sound();
  return false;
}

void await_durable(const CommitPosition& commit) {
  if (commit.opening == 0) return;
  if (PoolLog* const log = log_with(commit); log != nullptr) return log->await(commit.position);
  require_closed_well(commit);
}

void PoolLog::on_durable(std::function<void(bool)> function) {
  {
    const std::scoped_lock lock(waiting_mutex_);
    waiting_.push_back({appended(), std::move(function)});
  }
  flusher_->hurry();
}

/// In the flusher's thread, when it has flushed.
void PoolLog::call_those_who_wait() {
  std::vector<Waiting> due;
  {
    const std::scoped_lock lock(waiting_mutex_);
    const auto is_due = [this](const Waiting& waiting) { return is_poisoned() || waiting.position <= durable(); };
    std::ranges::copy_if(waiting_, std::back_inserter(due), is_due);
    std::erase_if(waiting_, is_due);
  }
  for (const Waiting& waiting : due) waiting.function(waiting.position <= durable());
}

int PoolLog::durable_event() {
  const std::scoped_lock lock(waiting_mutex_);
  if (event_.load() < 0) event_.store(eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK));
  return event_.load();
}

/// (An event that nobody has read for so long that its number is full is readable anyway.)
void PoolLog::tell_event() noexcept {
  const int event = event_.load(std::memory_order_relaxed);
  if (event >= 0) [[maybe_unused]]
    const int told = eventfd_write(event, 1);
}

}  // namespace perdure::disk
