// Clones of the functions that make exception objects (libs/abi/provided.def).
#include <cxxabi.h>

#include "entry/allocation.h"
#include "tx/exception_state.h"

extern "C" {

void* perdure_tm___cxa_allocate_exception(std::size_t bytes) noexcept {
  void* const object = __cxxabiv1::__cxa_allocate_exception(bytes);
  perdure::entry::transactional_exceptions().add_object(object, bytes);
  return object;
}

void perdure_tm___cxa_free_exception(void* object) noexcept {
  perdure::entry::transactional_exceptions().remove_object(object);
  __cxxabiv1::__cxa_free_exception(object);
}

}  // extern "C"
