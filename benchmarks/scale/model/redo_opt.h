#ifndef PERDURE_BENCHMARKS_SCALE_REDO_OPT_H
#define PERDURE_BENCHMARKS_SCALE_REDO_OPT_H

#include "replicated.h"

namespace perdure::scale {

/// algorithms/redo_opt.h, with two copies, and libs/tx/combining.h. Threads are taken to expect that they write.
class RedoOpt : public Replicated {
 public:
  explicit RedoOpt(Machine& machine) : Replicated(machine, 2) {}

  Task update(Thread& thread) {
    if (is_turn_taken_) {
      co_await machine_.engine.pass(announce(thread));
      while (is_turn_taken_ && is_pending(thread)) co_await changed_.wait();
      if (!is_pending(thread)) {
        co_await machine_.engine.pass(look_at_result(thread));
        co_return;
      }
      withdraw(thread);
    }
    is_turn_taken_ = true;
    co_await machine_.engine.pass(machine_.own(turn_line_, thread) + begin(thread));
    co_await make_turn(thread);
    is_turn_taken_ = false;
    changed_.notify();
  }

 private:
  Task make_turn(const Thread& thread) {
    Engine& engine = machine_.engine;
    Copy& former = current();
    Copy& next = copies_[1 - current_];
    while (next.readers != 0) co_await changed_.wait();
    co_await engine.pass(catch_up(next, thread, time_));
    std::vector<const Work*> works = {thread.work};
    co_await engine.pass(body(next, thread, *thread.work) + machine_.look_at_all_slots(thread));
    const std::vector<Announcement*> others = announced();
    for (Announcement* const other : others) {
      other->is_queued = true;
      works.push_back(other->work);
      co_await engine.pass(machine_.load(other->line, thread) + body(next, thread, *other->work));
    }
    co_await engine.pass(make_durable(next, works));
    co_await engine.pass(make_word_durable());
    decide(next, works, thread);
    durable_ = time_;
    settle(others, thread);
    if (former.readers == 0) co_await engine.pass(catch_up(former, thread, time_));
  }

  bool is_turn_taken_ = false;
  Line turn_line_;
};

}  // namespace perdure::scale

#endif
