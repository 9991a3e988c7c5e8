#ifndef PERDURE_BENCHMARKS_SCALE_REDO_H
#define PERDURE_BENCHMARKS_SCALE_REDO_H

#include "replicated.h"

namespace perdure::scale {

/// algorithms/redo.h and libs/tx/helping.h, with as many copies as by default: one is the pool itself.
class Redo : public Replicated {
 public:
  explicit Redo(Machine& machine) : Replicated(machine, copies) {}

  Task update(Thread& thread) {
    Engine& engine = machine_.engine;
    const Time asked = engine.now();
    co_await engine.pass(begin(thread));
    for (bool is_announced = false; !is_announced || is_pending(thread);) {
      Copy* const copy = take_copy(machine_.mode.waits_for_latest && engine.now() < asked + most_patience);
      bool is_made = false;
      if (copy != nullptr) co_await make_turn(thread, *copy, is_made);
      if (is_made) co_return;
      if (!is_announced) {
        is_announced = true;
        co_await engine.pass(announce(thread));
      }
      if (copy == nullptr && is_pending(thread)) co_await changed_.wait();
      co_await engine.pass(begin(thread));
      while (is_queued(thread)) co_await changed_.wait();  // in the turn that is made durable at this moment
    }
    co_await engine.pass(look_at_result(thread));
  }

 protected:
  static constexpr std::size_t copies = 8;

  /// Of those that nobody reads or has the one that lacks least. \param latest  of those that nobody reads, or none.
  Copy* take_copy(bool latest) {
    Copy* best = nullptr;
    for (Copy& copy : copies_) {
      if (&copy == &current() || &copy == &mirror() || copy.readers != 0) continue;
      if (copy.is_taken && !latest) continue;
      if (best == nullptr || copy.holds > best->holds) best = &copy;
    }
    if (best == nullptr || best->is_taken) return nullptr;
    best->is_taken = true;
    return best;
  }
  void give_back(Copy& copy) {
    copy.is_taken = false;
    changed_.notify();
  }

  /// The word, flush, fence, results, publication.
  Task complete(const Thread& thread, const std::vector<Announcement*>& others) {
    co_await machine_.engine.pass(make_word_durable());
    durable_ = std::max(durable_, time_);
    settle(others, thread);
  }

  /// The pool itself: one thread at a time brings it up to date, for all (libs/log/mirror.h).
  Task catch_up_mirror(const Thread& thread) {
    if (is_mirror_taken_) co_return;
    is_mirror_taken_ = true;
    for (unsigned round = 0; round < most_rounds && mirror().holds < time_; ++round)
      co_await machine_.engine.pass(catch_up(mirror(), thread, time_));
    is_mirror_taken_ = false;
  }

  Line turn_line_;

 private:
  static constexpr Time most_patience = 50'000;
  static constexpr unsigned most_rounds = 16;

  Copy& mirror() { return copies_.back(); }

  Task make_turn(Thread& thread, Copy& copy, bool& is_made) {
    Engine& engine = machine_.engine;
    const std::uint64_t begun = time_;
    co_await engine.pass(catch_up(copy, thread, begun));
    std::vector<const Work*> works = {thread.work};
    co_await engine.pass(body(copy, thread, *thread.work) + machine_.look_at_all_slots(thread));
    std::vector<Announcement*> others = announced();
    for (const Announcement* const other : others)
      if (other != &announcements_[thread.number]) works.push_back(other->work);
    for (std::size_t i = 1; i < works.size(); ++i) co_await engine.pass(body(copy, thread, *works[i]));
    if (time_ == begun) co_await engine.pass(make_durable(copy, works) + machine_.own(turn_line_, thread));
    if (time_ != begun) {
      co_await engine.pass(undo(works));
      give_back(copy);
      co_return;
    }
    is_made = true;
    for (Announcement* const other : others) other->is_queued = true;
    decide(copy, std::move(works), thread);
    co_await complete(thread, others);
    give_back(copy);
    co_await catch_up_mirror(thread);
  }

  bool is_mirror_taken_ = false;
};

}  // namespace perdure::scale

#endif
