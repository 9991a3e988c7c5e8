#ifndef PERDURE_SCHED_ALTERNATION_H
#define PERDURE_SCHED_ALTERNATION_H

#include <atomic>
#include <chrono>
#include <cstdint>
#include <memory>

#include "sched/thread_registry.h"

namespace perdure::sched {

/// How long all takes by which threads find out whether they had better alternate. Tests set these, while no
/// transaction runs.
struct AlternationLimits {
  double worth_it = 1.1;  ///< by so much it has to be faster: what is measured is never quite right
  std::chrono::nanoseconds window = std::chrono::microseconds(200);  ///< the shortest in which commits are counted
  std::chrono::nanoseconds shortest_turn = std::chrono::microseconds(100);
  std::chrono::nanoseconds longest_turn = std::chrono::milliseconds(5);
  std::chrono::nanoseconds first_series = std::chrono::milliseconds(4);  ///< of turns, after a trial that went well
  std::chrono::nanoseconds longest_series = std::chrono::milliseconds(64);
  std::chrono::nanoseconds first_pause = std::chrono::milliseconds(10);  ///< after a trial that did not
  std::chrono::nanoseconds longest_pause = std::chrono::seconds(2);
};
inline constinit AlternationLimits alternation_limits;

/// Whether threads that run transactions beside each other had better take turns, in which each is alone
/// (sched/sole_thread.h). So it is where they conflict all the time, and where what isolates them costs more than a
/// second processor gives: in a list each transaction reads thousands of words, which one that is alone just loads.
///
/// It is tried out. Now and then a thread takes a turn, and who comes after it compares: were there more commits in
/// that time by one thread alone, than by all of them before? If so, a series of turns follows, after which they run
/// beside each other for a moment, and it is tried again. The more often the answer is the same, the longer the series,
/// or the pause until the next trial.
///
/// All of this is about when a claim is made and how soon it is taken away, never about what one means: nothing here
/// can make a transaction see what it must not. Nor does anybody wait for ever: a turn is over at a certain time,
/// whether its holder works or not.
///
/// Used under the lock with which the claim changes, but for what says otherwise.
class Alternation {
 public:
  using Time = std::uint64_t;  ///< in nanoseconds, of a clock that does not jump
  static constexpr Time no_turn = 0;

  static Time now();

  /// Asked by a thread that runs transactions beside others, now and then, or that has waited until another's turn was
  /// over. \returns whether it is to take a turn.
  bool is_time();

  /// When others must have ended what they ran, or there is no turn.
  Time latest_beginning() const;
  void begin_turn(const ThreadSlot& holder);
  void give_up_turn();
  /// Called without the lock.
  void forgo_turn() { turn_end_.store(no_turn, std::memory_order_relaxed); }
  /// The claim is being taken away, of a turn or not.
  void end_turn(const ThreadSlot& holder);

  /// Until when who would begin waits for the one that has its turn, or `no_turn`. Called without the lock.
  Time turn_end() const { return turn_end_.load(std::memory_order_relaxed); }

  /// All is as at the beginning.
  void forget_threads() { std::construct_at(this); }

 private:
  /// How many transactions, of one thread or of all: the numbers go round.
  struct Count {
    std::uint32_t attempts = 0;
    std::uint32_t commits = 0;
  };
  static Count count(const ThreadSlot& slot);
  static Count count_all();

  bool is_trial() const { return turn_began_ >= series_end_; }
  void try_later();

  std::atomic<Time> turn_end_{no_turn};
  Time turn_length_ = 0;
  Time turn_began_ = 0;
  Count at_turn_;  // of its holder

  Time window_began_ = 0;             // 0: there is none
  Count at_window_;                   // of all
  double commits_beside_others_ = 0;  // in a nanosecond

  Time series_end_ = 0;
  Time next_trial_ = 0;
  std::chrono::nanoseconds series_{0};  // the last one's; 0: there was none
  std::chrono::nanoseconds pause_{0};
};

}  // namespace perdure::sched

#endif
