#include "simulate/scheduler.h"

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstdlib>

namespace perdure::simulate {

void Scheduler::start(const Strategy& strategy) {
  strategy_ = strategy;
  random_.seed(strategy.seed);
  tasks_.clear();
  lowest_priority_ = 0;
  changes_.clear();
  for (std::size_t i = 0; i < change_points; ++i)
    changes_.push_back(1 + random_() % std::max<std::uint64_t>(steps_before_, 1));
  steps_ = 0;
  current_ = 0;
  stops_ = {};
  stopped_ = 0;
  alive_ = 0;
  add_task();
  processor_.enter();
  on_ = true;
}

void Scheduler::stop() {
  on_ = false;
  processor_.leave();
  alive_ = 0;
  steps_before_ = steps_;
}

std::size_t Scheduler::add_task() {
  Task& task = tasks_.emplace_back();
  ++alive_;
  sem_init(&task.turn, 0, 0);
  task.priority = static_cast<std::int64_t>(random_() >> 2);
  return tasks_.size() - 1;
}

void Scheduler::enter(std::size_t task) {
  while (sem_wait(&tasks_[task].turn) != 0 && errno == EINTR) {
  }
}

void Scheduler::leave() {
  tasks_[current_].ended = true;
  --alive_;
  const std::size_t next = choose_any_but_current();
  current_ = next;
  sem_post(&tasks_[next].turn);
}

void Scheduler::wait_for(std::size_t task) {
  while (!tasks_[task].ended) yield();
}

// -- threads that are stopped -----------------------------------------------------------------------------------------

void Scheduler::stop_at(const Stops& steps) {
  for (std::size_t i = 0; i < steps.size(); ++i) stops_[i] = steps[i] == 0 ? 0 : steps_ + steps[i];
}

bool Scheduler::must_stop() const { return current_ != 0 && std::ranges::find(stops_, steps_) != stops_.end(); }

void Scheduler::stop_current() {
  tasks_[current_].stopped = true;
  ++stopped_;
  switch_to(choose_any_but_current());
}

void Scheduler::release_stopped() {
  stops_ = {};
  for (Task& task : tasks_) task.stopped = false;
  stopped_ = 0;
}

// -- switches ---------------------------------------------------------------------------------------------------------

void Scheduler::count_step() {
  ++tasks_[current_].steps;
  if (++steps_ <= strategy_.most_steps) return;
  std::fputs("crash simulator: the threads do not come to an end", stderr);
  if (stopped_ != 0)
    std::fprintf(stderr, " (threads are stopped at steps %llu and %llu)", static_cast<unsigned long long>(stops_[0]),
                 static_cast<unsigned long long>(stops_[1]));
  std::fputs("\n", stderr);
  std::abort();
}

void Scheduler::maybe_switch() {
  count_step();
  if (must_stop()) [[unlikely]]
    return stop_current();
  // Whoever tries the same again and again until another thread has gone on must not have the highest priority for
  // ever.
  if (++stretch_ > longest_stretch) return yield();
  const std::size_t next = choose();
  if (next != current_) switch_to(next);
}

void Scheduler::yield() {
  if (!on_) return;
  count_step();
  if (must_stop()) return stop_current();
  stretch_ = 0;
  tasks_[current_].priority = --lowest_priority_;
  const std::size_t next = strategy_.kind == Strategy::Kind::priorities ? highest_priority() : choose_any_but_current();
  if (next != current_) switch_to(next);
}

void Scheduler::switch_to(std::size_t next) {
  const std::size_t self = current_;
  current_ = next;
  stretch_ = 0;
  sem_post(&tasks_[next].turn);
  enter(self);
}

std::size_t Scheduler::choose() {
  switch (strategy_.kind) {
    case Strategy::Kind::sequential:
      return current_;
    case Strategy::Kind::uniform:
      return random_() % switch_rate == 0 ? choose_any_but_current() : current_;
    case Strategy::Kind::priorities:
      if (std::ranges::find(changes_, steps_) != changes_.end()) tasks_[current_].priority = --lowest_priority_;
      return highest_priority();
    case Strategy::Kind::listed:
      return std::ranges::find(strategy_.switches, steps_) != strategy_.switches.end() ? choose_any_but_current()
                                                                                       : current_;
  }
  return current_;
}

std::size_t Scheduler::choose_any_but_current() {
  const std::size_t first = random_() % tasks_.size();
  for (std::size_t i = 0; i < tasks_.size(); ++i) {
    const std::size_t candidate = (first + i) % tasks_.size();
    if (candidate != current_ && tasks_[candidate].can_run()) return candidate;
  }
  return current_;
}

std::size_t Scheduler::highest_priority() const {
  std::size_t best = current_;
  for (std::size_t i = 0; i < tasks_.size(); ++i)
    if (tasks_[i].can_run() && (!tasks_[best].can_run() || tasks_[i].priority > tasks_[best].priority)) best = i;
  return best;
}

}  // namespace perdure::simulate
