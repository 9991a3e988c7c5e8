#ifndef PERDURE_SCHED_THREAD_END_H
#define PERDURE_SCHED_THREAD_END_H

#include <pthread.h>

namespace perdure::sched {

/// Has a function called when a thread ends, after the destructors of its thread-local C++ objects: these may still run
/// transactions. A thread that arms it again later than that, in the destructor of another library's key, has the
/// function called again. The end of the main thread is that of the process: nothing is called.
class ThreadEnd {
 public:
  /// \param function  called in the ending thread with what it was armed with. Stops the program when there is no key.
  explicit ThreadEnd(void (*function)(void*));

  /// For the calling thread. \param argument  not null.
  void arm(void* argument);

 private:
  pthread_key_t key_;  // never given back: threads may end after static objects do
};

}  // namespace perdure::sched

#endif
