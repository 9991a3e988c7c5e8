#ifndef PERDURE_BENCHMARKS_MEMCACHED_WAKEUP_H
#define PERDURE_BENCHMARKS_MEMCACHED_WAKEUP_H

#include <functional>

#include "event_pointers.h"

namespace perdure::benchmarks::memcached {

/// Lets any thread have a function called by the thread of an event loop.
class Wakeup {
 public:
  Wakeup(event_base* events, std::function<void()> function);
  Wakeup(const Wakeup&) = delete;
  Wakeup& operator=(const Wakeup&) = delete;
  ~Wakeup();

  /// The function will be called; once for several calls, perhaps.
  void wake() const;

 private:
  static void on_wake(int descriptor, short what, void* self);

  const std::function<void()> function_;
  const int descriptor_;
  Event event_;
};

}  // namespace perdure::benchmarks::memcached

#endif
