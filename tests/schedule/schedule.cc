#include "schedule.h"

#include <atomic>
#include <csignal>

#include "abi/entry_points.h"
#include "tx/abort.h"

namespace perdure::schedule {
namespace {

struct Schedule {
  unsigned long next_abort = 0;  // 0: none
  unsigned long accesses = 0;    // of this attempt
  unsigned long until_kill = 0;  // 0: never
  bool in_turn = false;
};

thread_local constinit Schedule schedule;
std::atomic<unsigned long> aborts_so_far{0};

void before_access() {
  Schedule& mine = schedule;
  if (mine.until_kill != 0 && --mine.until_kill == 0) raise(SIGKILL);
  if (mine.next_abort == 0 || ++mine.accesses != mine.next_abort) return;
  mine.next_abort += mine.in_turn ? 1 : 1 + mine.next_abort / 2;
  mine.accesses = 0;
  aborts_so_far.fetch_add(1, std::memory_order_relaxed);  // a count and nothing else
  tx::abort(tx::CommitResult::validation);
}

}  // namespace

void arm_aborts(unsigned long first, bool in_turn) {
  schedule.next_abort = first;
  schedule.accesses = 0;
  schedule.in_turn = in_turn;
}

void disarm() { schedule.next_abort = 0; }

unsigned long aborts() { return aborts_so_far.load(std::memory_order_relaxed); }

void arm_kill(unsigned long access) { schedule.until_kill = access; }

}  // namespace perdure::schedule

using perdure::schedule::before_access;

extern "C" {

#define PERDURE_TYPE(suffix, type)                                \
  type __real_perdure_read_##suffix(type const* address);         \
  type __wrap_perdure_read_##suffix(type const* address) {        \
    before_access();                                              \
    return __real_perdure_read_##suffix(address);                 \
  }                                                               \
  void __real_perdure_write_##suffix(type* address, type value);  \
  void __wrap_perdure_write_##suffix(type* address, type value) { \
    before_access();                                              \
    __real_perdure_write_##suffix(address, value);                \
  }
#include "abi/types.def"

void __real_perdure_read_bytes(void* to, const void* from, std::size_t size);
void __wrap_perdure_read_bytes(void* to, const void* from, std::size_t size) {
  before_access();
  __real_perdure_read_bytes(to, from, size);
}

void __real_perdure_write_bytes(void* to, const void* from, std::size_t size);
void __wrap_perdure_write_bytes(void* to, const void* from, std::size_t size) {
  before_access();
  __real_perdure_write_bytes(to, from, size);
}

void* __real_perdure_memcpy(void* to, const void* from, std::size_t size);
void* __wrap_perdure_memcpy(void* to, const void* from, std::size_t size) {
  before_access();
  return __real_perdure_memcpy(to, from, size);
}

void* __real_perdure_memmove(void* to, const void* from, std::size_t size);
void* __wrap_perdure_memmove(void* to, const void* from, std::size_t size) {
  before_access();
  return __real_perdure_memmove(to, from, size);
}

void* __real_perdure_memset(void* to, int byte, std::size_t size);
void* __wrap_perdure_memset(void* to, int byte, std::size_t size) {
  before_access();
  return __real_perdure_memset(to, byte, size);
}

}  // extern "C"
