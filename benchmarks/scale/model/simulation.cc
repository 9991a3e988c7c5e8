#include "simulation.h"

#include <algorithm>
#include <limits>
#include <stdexcept>

#include "cx.h"
#include "global_lock.h"
#include "norec.h"
#include "orecs.h"
#include "redo.h"
#include "redo_opt.h"
#include "ring.h"
#include "tlrw.h"

namespace perdure::scale {

namespace {

/// An update runs as a whole, perhaps in another thread, and so does a transaction that only reads; none is given up.
template <class Algorithm>
concept RunsWhole = requires(Algorithm algorithm, Thread& thread) { algorithm.update(thread); };

/// Transactions as libs/tx/transaction.h runs them: attempts, back-off, the hourglass, and the wait for others.
template <class Algorithm>
class Simulation {
 public:
  Simulation(const Experiment& experiment, const Workload& workload, const Costs& costs)
      : engine_(experiment.duration),
        measured_from_(experiment.duration * uncounted_share),
        machine_(engine_, costs, mode_of(experiment), experiment.threads, workload.lines(), experiment.seed),
        algorithm_(machine_),
        turn_changed_(engine_) {
    for (Thread& thread : machine_.threads()) engine_.add(run(thread, works_of(thread.number, experiment, workload)));
  }

  Outcome outcome(Time duration) {
    engine_.run();
    const double commits = std::max(static_cast<double>(commits_), 1.0);
    const double seconds = (duration - measured_from_) / 1e9;
    const TimeSpent spent = {spent_.running / commits, spent_.committing / commits, spent_.retiring / commits,
                             spent_.waiting / commits, spent_.in_vain / commits};
    return {static_cast<double>(commits_) / seconds, static_cast<double>(aborts_) / commits,
            static_cast<double>(turns_) / commits, spent};
  }

 private:
  static constexpr double uncounted_share = 0.2;
  static constexpr unsigned hourglass_threshold = 100;

  static Mode mode_of(const Experiment& experiment) {
    Mode mode = scale::mode_of(experiment.mode);
    mode.retires_in_order = !experiment.published_retirement;
    return mode;
  }

  /// Of n threads the first runs the streams 0, n, 2n … one after the other: so few threads, too, run average work.
  static std::vector<const Work*> works_of(unsigned thread, const Experiment& experiment, const Workload& workload) {
    std::vector<const Work*> works;
    for (std::size_t stream = thread; stream < workload.threads(); stream += experiment.threads)
      for (const Work& work : workload.of_thread(stream)) works.push_back(&work);
    return works;
  }

  Task run(Thread& thread, std::vector<const Work*> works) {
    std::size_t next = thread.random() % works.size();
    for (;;) {
      thread.work = works[next++ % works.size()];
      const double jitter = 0.5 + static_cast<double>(thread.random() % 1024) / 1024;  // or threads march in step
      co_await engine_.pass(thread.work->outside * jitter);
      const Time asked = engine_.now();
      while (hourglass_is_turned()) co_await turn_changed_.wait();
      note(spent_.in_vain, asked);
      if constexpr (RunsWhole<Algorithm>) {
        co_await run_whole(thread);
      } else {
        bool committed = false;
        co_await attempt(thread, committed);
        if (!committed) co_await run_again(thread);
      }
      if (engine_.now() >= measured_from_) ++commits_;
    }
  }

  Task run_whole(Thread& thread) {
    const Time begun = engine_.now();
    co_await engine_.pass(machine_.costs.transaction);
    co_await (thread.work->writes() ? algorithm_.update(thread) : algorithm_.read(thread));
    note_commit(begun, engine_.now(), engine_.now());
  }

  Task run_again(Thread& thread) {
    bool committed = false;
    bool has_turn = false;
    for (unsigned aborts = 1; !committed; ++aborts) {
      const Time aborted = engine_.now();
      if (engine_.now() >= measured_from_) ++aborts_;
      if (!has_turn && aborts >= hourglass_threshold) {
        const std::uint64_t ticket = next_ticket_++;
        has_turn = true;
        ++turns_;
        while (ticket != serving_) co_await turn_changed_.wait();
      } else if (!has_turn) {
        co_await engine_.pass(backoff(thread, aborts));
        while (hourglass_is_turned()) co_await turn_changed_.wait();
      }
      note(spent_.in_vain, aborted);
      co_await attempt(thread, committed);
    }
    if (has_turn) {
      ++serving_;
      turn_changed_.notify();
    }
  }

  bool hourglass_is_turned() const { return next_ticket_ != serving_; }

  /// libs/sched/backoff.h
  Time backoff(Thread& thread, unsigned aborts) const {
    const unsigned exponent = std::min(4 + aborts - 1, 16U);
    return static_cast<double>(thread.random() & ((1U << exponent) - 1)) * machine_.costs.pause;
  }

  Task attempt(Thread& thread, bool& committed) {
    const Time begun = engine_.now();
    co_await engine_.pass(machine_.costs.transaction / 2);
    co_await algorithm_.begin(thread);
    bool goes_on = true;
    co_await run_body(thread, goes_on);
    if (goes_on) co_await engine_.pass(thread.work->rest + machine_.costs.transaction / 2);
    const Time ran = engine_.now();
    thread.released = std::numeric_limits<Time>::max();
    if (goes_on) co_await algorithm_.commit(thread, committed);
    if (committed) note_commit(begun, ran, std::min(thread.released, engine_.now()));
    if (!committed) co_await engine_.pass(machine_.costs.transaction / 2 + algorithm_.roll_back(thread));
    thread.running_since = never;
    machine_.own(thread.slot, thread);  // the store buffer waits, not the thread
    thread.ended.notify();
    const Time ended = engine_.now();
    if (!committed) note(spent_.in_vain, begun);
    if (committed && thread.work->writes() && Algorithm::needs_quiescence && machine_.mode.quiesces)
      co_await quiesce(thread);
    note(spent_.waiting, ended);
  }

  void note(Time& spent, Time since) const {
    if (engine_.now() >= measured_from_) spent += engine_.now() - std::max(since, measured_from_);
  }

  void note_commit(Time begun, Time ran, Time released) {
    if (engine_.now() < measured_from_) return;
    spent_.running += ran - begun;
    spent_.committing += released - ran;
    spent_.retiring += engine_.now() - released;
  }

  Task run_body(Thread& thread, bool& goes_on) {
    const Costs& costs = machine_.costs;
    for (const Touch& touch : thread.work->touches) {
      const Access& access = touch.access;
      co_await engine_.pass(thread.work->an_access * (1 + access.repeats) + own_cost(access));
      for (Step step{0, Verdict::again}; step.verdict == Verdict::again;) {
        step = algorithm_.access(thread, access);
        if (step.verdict == Verdict::conflict) {
          co_await engine_.pass(step.time);
          goes_on = false;
          co_return;
        }
        if (step.verdict == Verdict::done) step.time += of_line(thread, touch);
        co_await engine_.pass(std::max(step.time, step.verdict == Verdict::again ? costs.pause : 0));
      }
    }
  }

  /// A redo log's entry costs half at the write and half at the commit.
  Time own_cost(const Access& access) const {
    if (access.is_write == 0) return machine_.costs.read_stripe;
    const double entries = machine_.mode.logs_chunks ? 1 : std::popcount(access.words);
    return Algorithm::is_eager ? 0 : entries * machine_.costs.write_chunk / 2;
  }

  Time of_line(const Thread& thread, const Touch& touch) {
    Line& line = machine_.data_line(touch.line);
    if (touch.access.is_write == 0) return machine_.load(line, thread);
    return Algorithm::is_eager ? machine_.own(line, thread) : 0;
  }

  /// libs/sched/quiescence.h
  Task quiesce(Thread& thread) {
    co_await engine_.pass(machine_.look_at_all_slots(thread));
    for (Thread& other : machine_.threads()) {
      if (other.number == thread.number || other.running_since >= thread.timestamp) continue;
      while (other.running_since < thread.timestamp) co_await other.ended.wait();
      co_await engine_.pass(machine_.load(other.slot, thread));
    }
  }

  Engine engine_;
  const Time measured_from_;
  Machine machine_;
  Algorithm algorithm_;
  Changed turn_changed_;
  std::uint64_t next_ticket_ = 0;  // of the hourglass
  std::uint64_t serving_ = 0;
  std::uint64_t commits_ = 0;
  std::uint64_t aborts_ = 0;
  std::uint64_t turns_ = 0;
  TimeSpent spent_;
};

template <class Algorithm>
Outcome run(const Experiment& experiment, const std::vector<Stream>& streams, const Costs& costs) {
  const Workload workload(streams, mode_of(experiment.mode), Algorithm::is_eager, costs);
  return Simulation<Algorithm>(experiment, workload, costs).outcome(experiment.duration);
}

}  // namespace

Outcome simulate(const Experiment& experiment, const std::vector<Stream>& streams, const Costs& costs) {
  if (experiment.threads > std::min<std::size_t>(streams.size(), most_threads))
    throw std::invalid_argument("there are more threads than streams in the trace, or than the model has: " +
                                std::to_string(experiment.threads));
  const std::string& name = experiment.algorithm;
  if (name == "lock" || name == "lock_eager") return run<GlobalLock<true>>(experiment, streams, costs);
  if (name == "lock_lazy") return run<GlobalLock<false>>(experiment, streams, costs);
  if (name == "orec_eager") return run<Orecs<Locking::at_write_in_place>>(experiment, streams, costs);
  if (name == "orec_lazy") return run<Orecs<Locking::at_commit>>(experiment, streams, costs);
  if (name == "orec_mixed") return run<Orecs<Locking::at_write>>(experiment, streams, costs);
  if (name == "norec") return run<Norec>(experiment, streams, costs);
  if (name == "tlrw") return run<Tlrw>(experiment, streams, costs);
  if (name == "ring") return run<Ring>(experiment, streams, costs);
  if (name == "redo_opt") return run<RedoOpt>(experiment, streams, costs);
  if (name == "redo") return run<Redo>(experiment, streams, costs);
  if (name == "cx") return run<Cx>(experiment, streams, costs);
  throw std::invalid_argument("the algorithm '" + name + "' is not modelled");
}

}  // namespace perdure::scale
