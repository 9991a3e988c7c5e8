#ifndef PERDURE_BENCHMARKS_SCALE_CX_H
#define PERDURE_BENCHMARKS_SCALE_CX_H

#include "redo.h"

namespace perdure::scale {

/// algorithms/cx.h and libs/tx/queueing.h: what the next turn is to be is decided first, and then each thread that
/// waits for it makes it in a copy of its own.
class Cx : public Redo {
 public:
  using Redo::Redo;

  Task update(Thread& thread) {
    Engine& engine = machine_.engine;
    co_await engine.pass(announce(thread));
    while (is_pending(thread)) {
      co_await engine.pass(begin(thread));
      if (!is_queued(thread) && batch_of_ != time_ + 1) co_await queue_batch(thread);
      // Where the turn of its own is made durable at this moment, there is nothing to do.
      Copy* const copy = batch_of_ == time_ + 1 ? take_copy(false) : nullptr;
      if (copy != nullptr)
        co_await make_batch(thread, *copy);
      else if (is_pending(thread))
        co_await changed_.wait();
    }
    co_await engine.pass(look_at_result(thread));
  }

 private:
  /// All that is announced comes next, unless somebody has said meanwhile what does.
  Task queue_batch(const Thread& thread) {
    co_await machine_.engine.pass(machine_.look_at_all_slots(thread) + machine_.own(queue_line_, thread));
    if (batch_of_ == time_ + 1) co_return;
    std::vector<Announcement*> next = announced();
    if (next.empty()) co_return;
    for (Announcement* const each : next) each->is_queued = true;
    batch_ = std::move(next);
    batch_of_ = time_ + 1;
  }

  Task make_batch(const Thread& thread, Copy& copy) {
    Engine& engine = machine_.engine;
    const std::uint64_t begun = time_;
    const std::vector<Announcement*> batch = batch_;
    std::vector<const Work*> works;
    for (const Announcement* const each : batch) works.push_back(each->work);
    while (copy.holds < begun) co_await make_again(thread, copy);
    for (const Work* const work : works) co_await engine.pass(operation(copy, thread, *work));
    copy.holds = begun + 1;  // also if another copy counts: the same was made there
    co_await engine.pass(make_durable(copy, works) + machine_.own(turn_line_, thread));
    const bool is_first = time_ == begun;
    if (is_first) {
      decide(copy, std::move(works), thread);
      co_await complete(thread, batch);
    }
    give_back(copy);
    if (is_first) co_await catch_up_mirror(thread);
  }

  /// What the copy lacks is made again, operation by operation.
  Task make_again(const Thread& thread, Copy& copy) {
    const std::vector<const Work*> works = turns_[copy.holds + 1];
    for (const Work* const work : works) co_await machine_.engine.pass(operation(copy, thread, *work));
    ++copy.holds;
  }

  /// One thread makes each update twice, in the two copies that count by turns: so both are in what was measured.
  Time operation(Copy& copy, const Thread& thread, const Work& work) { return body(copy, thread, work, 0.5); }

  std::vector<Announcement*> batch_;
  std::uint64_t batch_of_ = 0;  // the turn that it will be
  Line queue_line_;
};

}  // namespace perdure::scale

#endif
