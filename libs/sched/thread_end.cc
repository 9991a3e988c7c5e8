#include "sched/thread_end.h"

#include <cstdio>
#include <cstdlib>
#include <cstring>

namespace perdure::sched {
namespace {

void check(int error) {
  if (error == 0) return;
  std::fprintf(stderr, "perdure: no thread-specific data: %s. Use fewer libraries with keys of their own.\n",
               std::strerror(error));
  std::abort();
}

}  // namespace

ThreadEnd::ThreadEnd(void (*function)(void*)) { check(pthread_key_create(&key_, function)); }

void ThreadEnd::arm(void* argument) { check(pthread_setspecific(key_, argument)); }

}  // namespace perdure::sched
