#include "tx/stack.h"

#include <pthread.h>
#include <sys/resource.h>

#include <cstdio>
#include <cstdlib>

namespace perdure::tx {

Stack Stack::of_this_thread() {
  pthread_attr_t attributes;
  void* lowest = nullptr;
  std::size_t bytes = 0;
  if (pthread_getattr_np(pthread_self(), &attributes) != 0 ||
      pthread_attr_getstack(&attributes, &lowest, &bytes) != 0) {
    std::fprintf(stderr, "perdure: cannot find the bounds of the thread's stack\n");
    std::abort();
  }
  pthread_attr_destroy(&attributes);
  return {reinterpret_cast<std::uintptr_t>(lowest), bytes};
}

}  // namespace perdure::tx
