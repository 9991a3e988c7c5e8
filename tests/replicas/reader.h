#ifndef PERDURE_TESTS_REPLICAS_READER_H
#define PERDURE_TESTS_REPLICAS_READER_H

#include <atomic>
#include <thread>

#include "replicated_pool.h"

namespace perdure {

/// A transaction in another thread that reads, and goes on when it is told to.
class Reader {
 public:
  template <class Rest>
  Reader(Words& words, Rest rest) : thread_([this, &words, rest] { run(words, rest); }) {
    while (!has_read_) std::this_thread::yield();
  }
  Reader(const Reader&) = delete;
  Reader& operator=(const Reader&) = delete;
  ~Reader() {
    go_on();
    thread_.join();
  }

  void go_on() { may_go_on_ = true; }
  void wait() const {
    while (!is_done_) std::this_thread::yield();
  }
  int attempts() const { return attempts_; }

 private:
  template <class Rest>
  void run(Words& words, Rest rest) {
    TM_BEGIN {
      const long seen = words.first->value;
      stay();
      rest(words, seen);
    } TM_END;
    is_done_ = true;
  }

  PERDURE_PURE void stay() {
    if (++attempts_ > 1) return;
    has_read_ = true;
    while (!may_go_on_) std::this_thread::yield();
  }

  std::atomic<int> attempts_{0};
  std::atomic<bool> has_read_{false};
  std::atomic<bool> may_go_on_{false};
  std::atomic<bool> is_done_{false};
  std::thread thread_;
};

}  // namespace perdure

#endif
