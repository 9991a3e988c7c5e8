// Clones of the functions that make exception objects and throw them (libs/abi/provided.def).
#include <cxxabi.h>

#include <cstdlib>
#include <cstring>
#include <typeinfo>

#include "abi/entry_points.h"
#include "entry/allocation.h"
#include "entry/clone_table.h"
#include "tx/exception_destructors.h"
#include "tx/exception_state.h"

// Part of the ABI, but what it returns is declared in different ways.
extern "C" void* native_init_primary_exception(void* object, std::type_info* type, void (*destructor)(void*)) noexcept
    asm("__cxa_init_primary_exception");

namespace {

using perdure::entry::transactional_exceptions;

/// A class of namespace std itself, and no template. These have their text from ordinary memory (provided/). A number
/// and a name follow the namespace (Itanium C++ ABI, section 5.1.2).
bool is_of_library(const std::type_info& type) {
  const char* const name = type.name();
  if (name[0] != 'S' || name[1] != 't') return false;
  char* identifier = nullptr;
  const unsigned long length = std::strtoul(name + 2, &identifier, 10);
  return length != 0 && length == std::strlen(identifier);
}

/// What a transaction calls: the destructor's clone. (Itself where no file says anything of it: then it is a
/// library's.)
void destroy_in_transaction(void* object, void (*destructor)(void*)) {
  transactional_exceptions().begin_destruction(object);
  auto* const function = reinterpret_cast<void*>(destructor);
  const PerdureClone row = perdure::entry::clone_table().find(function);
  const bool is_known = row.clone != nullptr || row.refusal != nullptr;
  void* const clone = is_known ? perdure_clone_of(function, "the end of an exception that it has thrown") : function;
  reinterpret_cast<void (*)(void*)>(clone)(object);
}

/// The C++ runtime calls this for what a transaction has thrown, in the transaction or perhaps long after it. Where the
/// transaction goes back to before the exception, what that has allocated is rolled back, and so not for its destructor
/// to free.
void destroy(void* object) noexcept {
  const auto destructor = perdure::tx::take_destructor(object);
  const bool never_happened = transactional_exceptions().is_undone(object);
  if (destructor.function != nullptr && (!never_happened || destructor.frees_no_blocks)) {
    if (perdure::entry::is_in_transaction() && !destructor.frees_no_blocks)
      destroy_in_transaction(object, destructor.function);
    else
      destructor.function(object);
  }
  transactional_exceptions().remove_object(object);
}

void prepare_to_throw(void* object, const std::type_info& type, void (*destructor)(void*)) {
  perdure::tx::remember_destructor(object, {destructor, is_of_library(type)});
  transactional_exceptions().end_exception(object);
}

}  // namespace

extern "C" {

void* perdure_tm___cxa_allocate_exception(std::size_t bytes) noexcept {
  void* const object = __cxxabiv1::__cxa_allocate_exception(bytes);
  transactional_exceptions().begin_exception(object, bytes);
  return object;
}

void perdure_tm___cxa_free_exception(void* object) noexcept {
  transactional_exceptions().remove_object(object);
  __cxxabiv1::__cxa_free_exception(object);
}

[[noreturn]] void perdure_tm___cxa_throw(void* object, std::type_info* type, void (*destructor)(void*)) {
  prepare_to_throw(object, *type, destructor);
  __cxxabiv1::__cxa_throw(object, type, destroy);
}

void* perdure_tm___cxa_init_primary_exception(void* object, std::type_info* type, void (*destructor)(void*)) noexcept {
  prepare_to_throw(object, *type, destructor);
  return native_init_primary_exception(object, type, destroy);
}

}  // extern "C"
