#ifndef PERDURE_BENCHMARKS_SCALE_ENGINE_H
#define PERDURE_BENCHMARKS_SCALE_ENGINE_H

#include <coroutine>
#include <cstdint>
#include <deque>
#include <exception>
#include <queue>
#include <utility>
#include <vector>

/// Discrete events: simulated threads are coroutines that let simulated time pass. What runs between two waits happens
/// at one moment; moments come in order, those at the same time in the order in which they were asked for. So a run
/// with the same input is the same every time.
namespace perdure::scale {

/// Simulated time, in nanoseconds.
using Time = double;

/// A simulated procedure, begun by `co_await`.
class [[nodiscard]] Task {
 public:
  struct promise_type {  // NOLINT(readability-identifier-naming): the name that the language asks for
    std::coroutine_handle<> caller = std::noop_coroutine();

    Task get_return_object() { return Task(std::coroutine_handle<promise_type>::from_promise(*this)); }
    std::suspend_always initial_suspend() noexcept { return {}; }
    auto final_suspend() noexcept {
      struct Return {
        bool await_ready() noexcept { return false; }
        std::coroutine_handle<> await_suspend(std::coroutine_handle<promise_type> ended) noexcept {
          return ended.promise().caller;
        }
        void await_resume() noexcept {}
      };
      return Return{};
    }
    void return_void() {}
    void unhandled_exception() { std::terminate(); }
  };

  Task(Task&& other) noexcept : handle_(std::exchange(other.handle_, nullptr)) {}
  Task(const Task&) = delete;
  Task& operator=(const Task&) = delete;
  ~Task() {
    if (handle_) handle_.destroy();
  }

  bool await_ready() const noexcept { return false; }
  std::coroutine_handle<> await_suspend(std::coroutine_handle<> caller) noexcept {
    handle_.promise().caller = caller;
    return handle_;
  }
  void await_resume() const noexcept {}

  /// Without a caller: for the engine.
  std::coroutine_handle<> start() const { return handle_; }

 private:
  explicit Task(std::coroutine_handle<promise_type> handle) : handle_(handle) {}
  std::coroutine_handle<promise_type> handle_;
};

class Engine {
 public:
  explicit Engine(Time end) : end_(end) {}

  Time now() const { return now_; }
  bool is_over() const { return now_ >= end_; }

  /// Adds a thread that begins at time 0. Those that still wait for something when the time is over stay there.
  void add(Task thread) {
    at(0, thread.start());
    threads_.push_back(std::move(thread));
  }

  void run() {
    while (!events_.empty() && !is_over()) {
      const Event next = events_.top();
      events_.pop();
      now_ = next.time;
      next.thread.resume();
    }
  }

  /// `co_await engine.pass(t)`: t nanoseconds pass.
  auto pass(Time nanoseconds) {
    struct Pass {
      Engine& engine;
      Time until;
      // Nobody comes before: no need to leave the coroutine.
      bool await_ready() const {
        if (!engine.events_.empty() && engine.events_.top().time <= until) return false;
        if (until >= engine.end_) return false;
        engine.now_ = until;
        return true;
      }
      void await_suspend(std::coroutine_handle<> thread) const { engine.at(until, thread); }
      void await_resume() const {}
    };
    return Pass{*this, now_ + nanoseconds};
  }

  void at(Time time, std::coroutine_handle<> thread) { events_.push({time, order_++, thread}); }

 private:
  struct Event {
    Time time;
    std::uint64_t order;
    std::coroutine_handle<> thread;
    bool operator<(const Event& other) const {
      return time != other.time ? time > other.time : order > other.order;  // the queue gives out the largest
    }
  };

  Time now_ = 0;
  const Time end_;
  std::uint64_t order_ = 0;
  std::priority_queue<Event> events_;
  std::vector<Task> threads_;
};

/// Threads that wait until something has changed. They look again, so they wait in a loop.
class Changed {
 public:
  explicit Changed(Engine& engine) : engine_(engine) {}

  auto wait() {
    struct Wait {
      Changed& changed;
      bool await_ready() const { return false; }
      void await_suspend(std::coroutine_handle<> thread) const { changed.waiting_.push_back(thread); }
      void await_resume() const {}
    };
    return Wait{*this};
  }

  /// Everybody sees it now, in the order in which they came.
  void notify() {
    for (const auto thread : waiting_) engine_.at(engine_.now(), thread);
    waiting_.clear();
  }

 private:
  Engine& engine_;
  std::vector<std::coroutine_handle<>> waiting_;
};

}  // namespace perdure::scale

#endif
