#ifndef PERDURE_TX_EXCEPTION_STATE_H
#define PERDURE_TX_EXCEPTION_STATE_H

#include <cxxabi.h>

#include <cstddef>
#include <cstdint>

#include "log/growing_array.h"

// Part of the ABI, but libc++abi's <cxxabi.h> does not declare it.
namespace __cxxabiv1 {
struct __cxa_eh_globals;
extern "C" __cxa_eh_globals* __cxa_get_globals() noexcept;
}  // namespace __cxxabiv1

namespace perdure::tx {

/// What the C++ runtime remembers of a thread's exceptions (Itanium C++ ABI, section 2.2.2).
struct CxaGlobals {
  void* caught_exceptions;
  unsigned int uncaught_exceptions;
};

inline CxaGlobals* this_threads_cxa_globals() { return reinterpret_cast<CxaGlobals*>(__cxxabiv1::__cxa_get_globals()); }

/// Exceptions inside a transaction. Exception objects are private to the thread and are not rolled back: the one that
/// leaves the transaction must arrive with its contents. An abort may come while an exception is being handled; the C++
/// runtime is then set back to where it was. Objects that are destroyed before the transaction ends are private no
/// more: their memory may become another thread's.
class ExceptionState {
 public:
  constexpr ExceptionState() = default;

  void begin() {
    if (globals_ == nullptr) globals_ = this_threads_cxa_globals();
    saved_ = *globals_;
  }

  void add_object(void* object, std::size_t bytes) { objects_.push_back({object, bytes}); }

  /// Memory for an exception. What that is to hold is computed next, which may be aborted.
  void begin_exception(void* object, std::size_t bytes) { objects_.push_back({object, bytes, true}); }
  /// It is whole: the C++ runtime frees it.
  void end_exception(const void* object) { mark_as_unfinished(object, false); }
  /// Its destructor is called next, which may be aborted: then the C++ runtime does not come to freeing it.
  void begin_destruction(const void* object) { mark_as_unfinished(object, true); }

  void remove_object(void* object) {
    for (Object& candidate : objects_)
      if (candidate.address == object) candidate = {nullptr, 0};
    while (!objects_.empty() && objects_.end()[-1].address == nullptr) objects_.pop_back();
  }

  std::size_t objects() const { return objects_.size(); }
  /// Whether the transaction, or its part, that is being abandoned has made the object.
  bool is_undone(const void* object) const {
    for (std::size_t i = undone_from_; i < objects_.size(); ++i)
      if (objects_[i].address == object) return true;
    return false;
  }
  /// Only the first ones of what was added are objects any more.
  void keep_objects(std::size_t count) {
    while (objects_.size() > count) objects_.pop_back();
  }

  /// Whether the address lies in the exception objects made by this transaction.
  bool is_in_object(const void* address) const {
    for (const Object& object : objects_)
      if (reinterpret_cast<std::uintptr_t>(address) - reinterpret_cast<std::uintptr_t>(object.address) < object.bytes)
        return true;
    return false;
  }

  /// Calls `function(object, bytes)` for each that still exists.
  template <class Function>
  void for_each_object(Function&& function) const {
    for (const Object& object : objects_)
      if (object.address != nullptr) function(object.address, object.bytes);
  }

  /// How things were, for a part of the transaction that is abandoned alone.
  struct Mark {
    CxaGlobals globals;
    std::size_t objects;
  };
  Mark mark() const { return {*globals_, objects_.size()}; }
  void go_back_to(const Mark& mark) {
    undone_from_ = mark.objects;
    end_handling_since(mark.globals);
    undone_from_ = none;
    free_unfinished_since(mark.objects);
    keep_objects(mark.objects);
  }

  /// The transaction is abandoned in the middle of its body: its exceptions never happened.
  void abandon() { go_back_to({saved_, 0}); }

  void end() { objects_.clear(); }
  void release() { objects_.release(); }

 private:
  struct Object {
    void* address;
    std::size_t bytes;
    bool is_unfinished = false;  // being made, or destroyed
  };
  static constexpr std::size_t none = ~std::size_t{0};

  void mark_as_unfinished(const void* object, bool is_unfinished) {
    for (Object& candidate : objects_)
      if (candidate.address == object) candidate.is_unfinished = is_unfinished;
  }

  /// As at the ends of the handlers that ran: the objects are freed, but those that somebody has kept. (An exception on
  /// its way to a handler is left behind.)
  void end_handling_since(const CxaGlobals& then) {
    while (globals_->caught_exceptions != then.caught_exceptions && globals_->caught_exceptions != nullptr)
      __cxxabiv1::__cxa_end_catch();
    *globals_ = then;
  }

  /// Nobody else knows of them. Their parts need no destructors: what these would free has been rolled back.
  void free_unfinished_since(std::size_t count) {
    for (std::size_t i = count; i < objects_.size(); ++i)
      if (objects_[i].is_unfinished) __cxxabiv1::__cxa_free_exception(objects_[i].address);
  }

  CxaGlobals* globals_ = nullptr;
  CxaGlobals saved_{};
  log::GrowingArray<Object> objects_;
  std::size_t undone_from_ = none;  // the first object of what is being abandoned
};

}  // namespace perdure::tx

#endif
