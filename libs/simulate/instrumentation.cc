// What ThreadSanitizer's instrumentation calls, without ThreadSanitizer: the runtime of the `…_sim` libraries is
// compiled with -fsanitize=thread, and every access of it comes by here. Accesses to pools are traced; these and atomic
// operations are where threads are switched. The names and signatures are those of the compiler's <tsan_interface.h>
// and <tsan_interface_atomic.h>.
#include <atomic>
#include <cstring>

#include "pool/window.h"
#include "simulate/hardware.h"
#include "simulate/scheduler.h"
#include "simulate/tracer.h"

namespace perdure::simulate {
namespace {

void load(const volatile void* address, std::size_t bytes) {
  if (!pool::in_window(const_cast<const void*>(address))) [[likely]]
    return;
  scheduler.point();
  hardware.before_access(scheduler.this_task(), reinterpret_cast<std::uintptr_t>(address), bytes, false);
  tracer.before_load(reinterpret_cast<std::uintptr_t>(address), bytes);
}

void store(const volatile void* address, std::size_t bytes) {
  if (!pool::in_window(const_cast<const void*>(address))) [[likely]]
    return;
  scheduler.point();
  hardware.before_access(scheduler.this_task(), reinterpret_cast<std::uintptr_t>(address), bytes, true);
  tracer.before_store(reinterpret_cast<std::uintptr_t>(address), bytes);
}

template <class T>
std::uintptr_t announce_atomic(const volatile T* address, bool stores) {
  scheduler.point();
  hardware.before_access(scheduler.this_task(), reinterpret_cast<std::uintptr_t>(address), sizeof(T), stores);
  return reinterpret_cast<std::uintptr_t>(address);
}

/// Only one thread runs at a time: whatever order the program asked for, it gets the strongest.
template <class T>
std::atomic_ref<T> atomic(volatile T* address) {
  return std::atomic_ref<T>(*const_cast<T*>(address));
}

template <class T>
T atomic_load(const volatile T* address) {
  const std::uintptr_t where = announce_atomic(address, false);
  if (pool::in_window(const_cast<const T*>(address))) tracer.before_load(where, sizeof(T));
  return atomic(const_cast<volatile T*>(address)).load();
}

template <class T>
void atomic_store(volatile T* address, T value) {
  const std::uintptr_t where = announce_atomic(address, true);
  if (pool::in_window(const_cast<const T*>(address))) tracer.before_store(where, sizeof(T));
  atomic(address).store(value);
}

/// A read-modify-write: a load and a store that nothing comes between.
template <class T, class Operation>
auto atomic_update(volatile T* address, Operation&& operation) {
  const std::uintptr_t where = announce_atomic(address, true);
  if (pool::in_window(const_cast<const T*>(address))) {
    tracer.before_load(where, sizeof(T));
    tracer.before_store(where, sizeof(T));
  }
  return operation(atomic(address));
}

}  // namespace
}  // namespace perdure::simulate

using perdure::simulate::atomic_load;
using perdure::simulate::atomic_store;
using perdure::simulate::atomic_update;
using perdure::simulate::load;
using perdure::simulate::store;

extern "C" {

void __tsan_init() {}
void __tsan_func_entry(void*) {}
void __tsan_func_exit() {}
void __tsan_vptr_update(void** address, void*) { store(address, sizeof(void*)); }
void __tsan_vptr_read(void** address) { load(address, sizeof(void*)); }
void __tsan_atomic_thread_fence(int) { perdure::simulate::scheduler.point(); }
void __tsan_atomic_signal_fence(int) {}

void* __tsan_memcpy(void* to, const void* from, std::size_t bytes) {
  load(from, bytes);
  store(to, bytes);
  return std::memcpy(to, from, bytes);
}

void* __tsan_memmove(void* to, const void* from, std::size_t bytes) {
  load(from, bytes);
  store(to, bytes);
  return std::memmove(to, from, bytes);
}

void* __tsan_memset(void* to, int byte, std::size_t bytes) {
  store(to, bytes);
  return std::memset(to, byte, bytes);
}

#define PERDURE_PLAIN(bytes)                                                 \
  void __tsan_read##bytes(void* address) { load(address, bytes); }           \
  void __tsan_write##bytes(void* address) { store(address, bytes); }         \
  void __tsan_unaligned_read##bytes(void* address) { load(address, bytes); } \
  void __tsan_unaligned_write##bytes(void* address) { store(address, bytes); }

PERDURE_PLAIN(1)
PERDURE_PLAIN(2)
PERDURE_PLAIN(4)
PERDURE_PLAIN(8)
PERDURE_PLAIN(16)

#define PERDURE_UPDATE(bits, type, name, method)                                      \
  type __tsan_atomic##bits##_##name(volatile type* address, type value, int) {        \
    return atomic_update(address, [&](auto target) { return target.method(value); }); \
  }

#define PERDURE_EXCHANGE(bits, type, strength)                                                                    \
  int __tsan_atomic##bits##_compare_exchange_##strength(volatile type* address, type* expected, type value, int,  \
                                                        int) {                                                    \
    return atomic_update(address, [&](auto target) { return target.compare_exchange_strong(*expected, value); }); \
  }

#define PERDURE_ATOMIC(bits, type)                                                                               \
  type __tsan_atomic##bits##_load(const volatile type* address, int) { return atomic_load(address); }            \
  void __tsan_atomic##bits##_store(volatile type* address, type value, int) { atomic_store(address, value); }    \
  type __tsan_atomic##bits##_compare_exchange_val(volatile type* address, type expected, type value, int, int) { \
    atomic_update(address, [&](auto target) { return target.compare_exchange_strong(expected, value); });        \
    return expected;                                                                                             \
  }                                                                                                              \
  PERDURE_UPDATE(bits, type, exchange, exchange)                                                                 \
  PERDURE_UPDATE(bits, type, fetch_add, fetch_add)                                                               \
  PERDURE_UPDATE(bits, type, fetch_sub, fetch_sub)                                                               \
  PERDURE_UPDATE(bits, type, fetch_and, fetch_and)                                                               \
  PERDURE_UPDATE(bits, type, fetch_or, fetch_or)                                                                 \
  PERDURE_UPDATE(bits, type, fetch_xor, fetch_xor)                                                               \
  PERDURE_EXCHANGE(bits, type, strong)                                                                           \
  PERDURE_EXCHANGE(bits, type, weak)

PERDURE_ATOMIC(8, std::uint8_t)
PERDURE_ATOMIC(16, std::uint16_t)
PERDURE_ATOMIC(32, std::uint32_t)
PERDURE_ATOMIC(64, std::uint64_t)

}  // extern "C"
