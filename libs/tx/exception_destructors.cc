#include "tx/exception_destructors.h"

#include <cstdio>
#include <cstdlib>
#include <mutex>
#include <new>

#include "sched/hold_during_fork.h"

namespace perdure::tx {
namespace {

/// The last one first. There are few at a time.
struct Thrown {
  void* object;
  ExceptionDestructor destructor;
  Thrown* next;
};
constinit Thrown* last_thrown = nullptr;

std::mutex& thrown_mutex() {
  static auto* const mutex = [] {
    sched::hold_during_fork<thrown_mutex>();
    return new std::mutex;  // exceptions may end after static objects do
  }();
  return *mutex;
}

}  // namespace

void remember_destructor(void* object, ExceptionDestructor destructor) noexcept {
  // Not by operator new, which may be told to give memory of a pool.
  void* const memory = std::malloc(sizeof(Thrown));
  if (memory == nullptr) {
    std::fputs("perdure: no memory for an exception. Give the process more memory.\n", stderr);
    std::abort();
  }
  const std::lock_guard lock(thrown_mutex());
  last_thrown = new (memory) Thrown{object, destructor, last_thrown};
}

ExceptionDestructor take_destructor(const void* object) noexcept {
  Thrown* found = nullptr;
  {
    const std::lock_guard lock(thrown_mutex());
    Thrown** link = &last_thrown;
    while (*link != nullptr && (*link)->object != object) link = &(*link)->next;
    found = *link;
    if (found != nullptr) *link = found->next;
  }
  if (found == nullptr) return {};
  const ExceptionDestructor destructor = found->destructor;
  std::free(found);
  return destructor;
}

}  // namespace perdure::tx
