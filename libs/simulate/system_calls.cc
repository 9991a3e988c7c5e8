// Functions of the C library that a program under the crash simulator gets from here: those by which threads wait for
// each other, those that change a pool's file, and those whose results differ from run to run.
#include <dlfcn.h>
#include <fcntl.h>
#include <libpmem.h>
#include <limits.h>
#include <pthread.h>
#include <sched.h>
#include <sys/mman.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include <atomic>
#include <cstdint>
#include <cstdlib>

#include "persist/simulated.h"
#include "simulate/scheduler.h"
#include "simulate/tracer.h"

namespace perdure::simulate {
namespace {

/// The C library's own function of that name.
template <class Function>
Function* original(const char* name) {
  return reinterpret_cast<Function*>(dlsym(RTLD_NEXT, name));
}

struct NewThread {
  void* (*routine)(void*);
  void* argument;
  std::size_t task;
};

void set_round(std::uintptr_t number);

/// Ends a thread's part in the scheduler when the thread has done everything else: after its thread-local objects,
/// destructors of keys run, in several rounds as long as a key is set again. This one leaves in the last round.
void leave_in_last_round(void* round) {
  const auto number = reinterpret_cast<std::uintptr_t>(round);
  if (number == PTHREAD_DESTRUCTOR_ITERATIONS) return scheduler.leave();
  set_round(number + 1);
}

pthread_key_t membership() {
  static const pthread_key_t key = [] {
    pthread_key_t created = 0;
    if (pthread_key_create(&created, leave_in_last_round) != 0) std::abort();
    return created;
  }();
  return key;
}

void set_round(std::uintptr_t number) { pthread_setspecific(membership(), reinterpret_cast<void*>(number)); }

void* run_thread(void* argument) {
  const NewThread start = *static_cast<NewThread*>(argument);
  delete static_cast<NewThread*>(argument);
  set_round(1);
  scheduler.enter(start.task);
  return start.routine(start.argument);
}

std::uint64_t size_of(int descriptor) {
  struct stat status{};
  return fstat(descriptor, &status) == 0 ? static_cast<std::uint64_t>(status.st_size) : 0;
}

/// The tasks of threads that have been created and not yet joined.
struct Joinable {
  pthread_t thread;
  std::size_t task;
};
std::vector<Joinable>& joinable() {
  static auto* const threads = new std::vector<Joinable>;
  return *threads;
}

std::size_t task_of(pthread_t thread) {
  for (const Joinable& candidate : joinable())
    if (pthread_equal(candidate.thread, thread) != 0) return candidate.task;
  return 0;
}

}  // namespace
}  // namespace perdure::simulate

using perdure::persistence::Files;
using perdure::simulate::original;
using perdure::simulate::scheduler;
using perdure::simulate::size_of;
using perdure::simulate::tracer;

// The C library's headers name the parameters in their own way.
// NOLINTBEGIN(readability-inconsistent-declaration-parameter-name)
extern "C" {

int pthread_create(pthread_t* thread, const pthread_attr_t* attributes, void* (*routine)(void*), void* argument) {
  static auto* const create = original<decltype(pthread_create)>("pthread_create");
  if (!scheduler.is_on()) return create(thread, attributes, routine, argument);
  const std::size_t task = scheduler.add_task();
  auto* const start = new perdure::simulate::NewThread{routine, argument, task};
  const int error = create(thread, attributes, perdure::simulate::run_thread, start);
  perdure::simulate::joinable().push_back({*thread, task});
  scheduler.point();
  return error;
}

int pthread_join(pthread_t thread, void** result) {
  static auto* const join = original<decltype(pthread_join)>("pthread_join");
  if (scheduler.is_on()) {
    if (const std::size_t task = perdure::simulate::task_of(thread)) scheduler.wait_for(task);
    std::erase_if(perdure::simulate::joinable(),
                  [&](const auto& candidate) { return pthread_equal(candidate.thread, thread) != 0; });
  }
  return join(thread, result);
}

int pthread_mutex_lock(pthread_mutex_t* mutex) noexcept {
  static auto* const lock = original<int(pthread_mutex_t*)>("pthread_mutex_lock");
  static auto* const try_lock = original<int(pthread_mutex_t*)>("pthread_mutex_trylock");
  if (!scheduler.is_on()) return lock(mutex);
  scheduler.point();
  int error = try_lock(mutex);
  for (; error == EBUSY; error = try_lock(mutex)) scheduler.yield();
  return error;
}

int sched_yield() noexcept {
  if (!scheduler.is_on()) return static_cast<int>(syscall(SYS_sched_yield));
  scheduler.yield();
  return 0;
}

/// Time passes by being looked at, and quickly: who waits for a moment need not look often.
int clock_gettime(clockid_t clock, timespec* time) noexcept {
  static auto* const read = original<int(clockid_t, timespec*)>("clock_gettime");
  if (!scheduler.is_on()) return read(clock, time);
  constexpr std::uint64_t looks_per_second = 100;
  static std::uint64_t looks = 0;
  ++looks;
  time->tv_sec = static_cast<time_t>(looks / looks_per_second);
  time->tv_nsec = static_cast<long>(looks % looks_per_second * (1'000'000'000 / looks_per_second));
  return 0;
}

int posix_fallocate(int descriptor, off_t offset, off_t bytes) {
  const std::uint64_t before = size_of(descriptor);
  const int error = syscall(SYS_fallocate, descriptor, 0, offset, bytes) == 0 ? 0 : errno;
  // It may have made a hole of the file disappear, which changes nothing that can be seen.
  if (size_of(descriptor) != before) tracer.file_has_size(descriptor, size_of(descriptor));
  return error;
}

void* mmap(void* address, std::size_t bytes, int access, int flags, int descriptor, off_t offset) noexcept {
  // The system call's wrapper says by its result what failed.
  const long mapped = syscall(SYS_mmap, address, bytes, access, flags, descriptor, offset);
  if (mapped != -1) tracer.file_is_mapped(descriptor, reinterpret_cast<void*>(mapped));
  return reinterpret_cast<void*>(mapped);
}

int ftruncate(int descriptor, off_t bytes) noexcept {
  const auto end = static_cast<std::uint64_t>(bytes);
  if (size_of(descriptor) > end) tracer.before_hole(descriptor, end, size_of(descriptor) - end);
  tracer.file_has_size(descriptor, end);
  return static_cast<int>(syscall(SYS_ftruncate, descriptor, bytes));
}

/// What is given back is zero from then on, but a crash may find it as it was.
int fallocate(int descriptor, int mode, off_t offset, off_t bytes) {
  if ((mode & FALLOC_FL_PUNCH_HOLE) == 0)
    return static_cast<int>(syscall(SYS_fallocate, descriptor, mode, offset, bytes));
  // What lies behind the end is not there to become zero.
  if (static_cast<std::uint64_t>(offset) < size_of(descriptor))
    tracer.before_hole(descriptor, static_cast<std::uint64_t>(offset), static_cast<std::uint64_t>(bytes));
  return static_cast<int>(syscall(SYS_fallocate, descriptor, mode, offset, bytes));
}

int fsync(int descriptor) {
  tracer.file_is_synced(descriptor);
  return static_cast<int>(syscall(SYS_fsync, descriptor));
}

/// Pools and what is drawn by lot come out the same in every run, but where several processes come after each other.
[[gnu::weak]] ssize_t getrandom(void* buffer, size_t bytes, unsigned flags) {
  if (perdure::simulate::files() == Files::simulated_disk) return syscall(SYS_getrandom, buffer, bytes, flags);
  static std::uint64_t state = 0;
  for (std::size_t i = 0; i < bytes; ++i) static_cast<std::uint8_t*>(buffer)[i] = static_cast<std::uint8_t>(++state);
  return static_cast<ssize_t>(bytes);
}

/// (Tests that are about disks have their own.)
[[gnu::weak]] int pmem_is_pmem(const void*, size_t) {
  return perdure::simulate::files() == Files::simulated_disk ? 0 : 1;
}

}  // extern "C"
// NOLINTEND(readability-inconsistent-declaration-parameter-name)
