#ifndef PERDURE_TX_STATIC_INITIALISATION_H
#define PERDURE_TX_STATIC_INITIALISATION_H

#include "sync/spin.h"

namespace perdure::tx {

/// Initialisations of static local variables that the calling thread's transaction comes upon. They run as they would
/// outside of it, once and for all: the variable lives as long as the program, so its memory must not come from a pool,
/// and an abort cannot take it back from other threads.
class StaticInitialisation {
 public:
  constexpr StaticInitialisation() = default;

  void begin() { ++running_; }
  void end() { --running_; }
  bool is_running() const { return running_ > 0; }

  /// Another thread is at it, and the transaction is rolled back to wait for it.
  void await(const void* guard) { awaited_ = guard; }
  bool is_awaited() const { return awaited_ != nullptr; }

  /// To be called with nothing held: the other thread's initialiser may run transactions of its own.
  void wait() {
    for (sync::Spinner spinner; is_in_progress(awaited_);) spinner.wait();
    awaited_ = nullptr;
  }

  /// The first byte of a guard says that the variable is initialised (Itanium C++ ABI, section 3.3.3). libstdc++ and
  /// libc++abi both set the second while a thread initialises it.
  static bool is_in_progress(const void* guard) {
    const auto* const bytes = static_cast<const unsigned char*>(guard);
    return __atomic_load_n(bytes, __ATOMIC_ACQUIRE) == 0 && __atomic_load_n(bytes + 1, __ATOMIC_ACQUIRE) != 0;
  }

 private:
  unsigned running_ = 0;
  const void* awaited_ = nullptr;
};

inline thread_local constinit StaticInitialisation static_initialisation;

}  // namespace perdure::tx

#endif
