#include "sched/alternation.h"

#include <algorithm>

namespace perdure::sched {
namespace {

using std::chrono::nanoseconds;

// Dozens of transactions, so that the one that is cut off at the end of a turn is a small part.
constexpr std::uint64_t transactions_in_turn = 32;
// In longest turns.
constexpr std::uint64_t longest_window = 4;
// In turns. Of threads that have no processor, each has to get one first.
constexpr std::uint64_t longest_wait = 4;

Alternation::Time length(nanoseconds duration) { return static_cast<Alternation::Time>(duration.count()); }

/// Twice as long as the last time. \param last  0: there was none.
nanoseconds longer(nanoseconds last, nanoseconds first, nanoseconds longest) {
  return last == nanoseconds(0) ? first : std::min(2 * last, longest);
}

}  // namespace

Alternation::Time Alternation::now() {
#ifdef PERDURE_SIMULATED
  static std::atomic<Time> looks{0};  // by a scheduler for which time is the number of steps
  return looks.fetch_add(1, std::memory_order_relaxed) + 1;
#else
  return length(std::chrono::steady_clock::now().time_since_epoch());
#endif
}

bool Alternation::is_time() {
  const Time time = now();
  if (time < series_end_) return true;

  const Time passed = time - window_began_;
  if (window_began_ != 0 && passed < length(alternation_limits.window)) return false;
  const Count counted = count_all();
  const std::uint32_t attempts = counted.attempts - at_window_.attempts;
  const std::uint32_t commits = counted.commits - at_window_.commits;
  // In a longer time threads have rested.
  const bool says_something =
      window_began_ != 0 && passed < longest_window * length(alternation_limits.longest_turn) && attempts != 0;
  window_began_ = time;
  at_window_ = counted;
  if (!says_something || time < next_trial_) return false;

  commits_beside_others_ = static_cast<double>(commits) / static_cast<double>(passed);
  turn_length_ = std::max(transactions_in_turn * passed / attempts, length(alternation_limits.shortest_turn));
  return turn_length_ <= length(alternation_limits.longest_turn);
}

Alternation::Time Alternation::latest_beginning() const { return now() + longest_wait * turn_length_; }

void Alternation::begin_turn(const ThreadSlot& holder) {
  turn_began_ = now();
  at_turn_ = count(holder);
  turn_end_.store(turn_began_ + turn_length_, std::memory_order_relaxed);
}

void Alternation::give_up_turn() {
  forgo_turn();
  window_began_ = 0;
  try_later();
}

void Alternation::end_turn(const ThreadSlot& holder) {
  window_began_ = 0;
  if (turn_end() == no_turn) return;
  forgo_turn();
  const Time time = now();
  const Time passed = time - turn_began_;
  if (passed > 2 * turn_length_) return;  // nobody wanted to run for a while, or could
  // An attempt that was under way when the turn began may have been aborted in it.
  const auto committed = std::max(static_cast<std::int32_t>(count(holder).commits - at_turn_.commits), 0);
  if (committed == 0) return try_later();  // there are transactions that take longer than a turn
  const double commits = static_cast<double>(committed) / static_cast<double>(passed);
  const bool is_worth_it = commits >= alternation_limits.worth_it * commits_beside_others_;
  if (!is_trial()) {
    if (!is_worth_it) series_end_ = 0;  // the next trial tells
    return;
  }
  if (!is_worth_it) return try_later();
  series_ = longer(series_, alternation_limits.first_series, alternation_limits.longest_series);
  pause_ = nanoseconds(0);
  series_end_ = time + length(series_);
}

void Alternation::try_later() {
  series_end_ = 0;
  series_ = nanoseconds(0);
  pause_ = longer(pause_, alternation_limits.first_pause, alternation_limits.longest_pause);
  next_trial_ = now() + length(pause_);
}

Alternation::Count Alternation::count(const ThreadSlot& slot) {
  // Relaxed: hints. An attempt that runs counts as a commit.
  const std::uint32_t attempts = slot.beginnings.load(std::memory_order_relaxed);
  return {attempts, attempts - slot.aborts.load(std::memory_order_relaxed)};
}

Alternation::Count Alternation::count_all() {
  Count all;
  thread_registry.for_each([&](const ThreadSlot& slot) {
    const Count one = count(slot);
    all.attempts += one.attempts;
    all.commits += one.commits;
  });
  return all;
}

}  // namespace perdure::sched
