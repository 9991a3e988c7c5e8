#ifndef PERDURE_SCHED_OF_THREAD_H
#define PERDURE_SCHED_OF_THREAD_H

#include <new>

#include "sched/thread_end.h"

namespace perdure::sched {

/// The calling thread's T: made at the first call, and there until the thread's C++ objects are destroyed, and later if
/// it is asked for again. On the heap: a library that is loaded while the program runs has little room for thread-local
/// memory, and what most threads do not use should take none of it.
/// \returns null when there is no memory.
template <class T>
T* find_of_thread() noexcept {
  static thread_local constinit T* own = nullptr;
  static ThreadEnd end([](void* object) {
    own = nullptr;
    delete static_cast<T*>(object);
  });
  if (own != nullptr) return own;
  own = new (std::nothrow) T{};
  if (own != nullptr) end.arm(own);
  return own;
}

/// The same, where there must be memory. \throws std::bad_alloc
template <class T>
T& of_thread() {
  T* const own = find_of_thread<T>();
  if (own == nullptr) throw std::bad_alloc();
  return *own;
}

}  // namespace perdure::sched

#endif
