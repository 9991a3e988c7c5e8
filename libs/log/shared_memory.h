#ifndef PERDURE_LOG_SHARED_MEMORY_H
#define PERDURE_LOG_SHARED_MEMORY_H

#include <atomic>

/// Program memory that several transactions may access at once. Every such access is atomic, so that a read that races
/// with a write-back gives some value (which validation then rejects) instead of undefined behaviour.
namespace perdure::log {

/// Acquire: a read that sees a written-back value also sees the orec that the writer locked before it wrote back; so
/// reading the orec again afterwards tells whether the value may be used.
template <class T>
inline T load_shared(const T* address) {
  return std::atomic_ref<T>(*const_cast<T*>(address)).load(std::memory_order_acquire);
}

/// Release: pairs with load_shared.
template <class T>
inline void store_shared(T* address, T value) {
  std::atomic_ref<T>(*address).store(value, std::memory_order_release);
}

}  // namespace perdure::log

#endif
