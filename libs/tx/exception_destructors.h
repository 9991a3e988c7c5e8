#ifndef PERDURE_TX_EXCEPTION_DESTRUCTORS_H
#define PERDURE_TX_EXCEPTION_DESTRUCTORS_H

namespace perdure::tx {

/// The destructors of exceptions that transactions have thrown and that still exist, also after the transaction. The
/// C++ runtime is given another one (entry/exceptions.cc), so that a transaction learns when an object is no more.
/// Thread-safe: an exception may be handed to another thread, and ends with the last pointer to it.
struct ExceptionDestructor {
  void (*function)(void* object) = nullptr;  ///< null: there is none
  bool frees_no_blocks = false;              ///< of transactions: it is called for exceptions that never happened, too
};

void remember_destructor(void* object, ExceptionDestructor destructor) noexcept;

/// Of an object that is being destroyed: forgets it.
ExceptionDestructor take_destructor(const void* object) noexcept;

}  // namespace perdure::tx

#endif
