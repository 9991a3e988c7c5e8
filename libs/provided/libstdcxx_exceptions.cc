// Clones of the functions of pointers to exceptions that libstdc++ keeps in its shared object. Compiled with the
// plugin.
#include <exception>

#include "exception_parts.h"
#include "perdure/attributes.h"

namespace perdure::provided {

#define PERDURE_BOTH(prefix, kind, suffix, name, type, parameters, ...)                                          \
  [[perdure::implements(prefix kind "1" suffix)]] void complete_##name(type* object parameters) { __VA_ARGS__; } \
  [[perdure::implements(prefix kind "2" suffix)]] void base_##name(type* object parameters) { __VA_ARGS__; }
#define PERDURE_COMMA ,
#define PERDURE_POINTER "_ZNSt15__exception_ptr13exception_ptr"

PERDURE_BOTH(PERDURE_POINTER, "C", "ERKS0_", copy, std::exception_ptr, PERDURE_COMMA const std::exception_ptr& from,
             copy(object, from))
PERDURE_BOTH(PERDURE_POINTER, "D", "Ev", destroy, std::exception_ptr, , destroy(object))

[[perdure::implements(PERDURE_POINTER "aSERKS0_")]] std::exception_ptr& assign_copy(std::exception_ptr* object,
                                                                                    const std::exception_ptr& from) {
  return assign(object, from);
}

/// One more of the exception's pointers.
PERDURE_BOTH(PERDURE_POINTER, "C", "EPv", of_object, std::exception_ptr, PERDURE_COMMA void* exception,
             copy(object, reinterpret_cast<const std::exception_ptr&>(exception)))

// What copies and destructors in newer headers are made of.
[[perdure::implements(PERDURE_POINTER "9_M_addrefEv")]] void add_reference(std::exception_ptr* object) {
  const Parts<std::exception_ptr> parts = parts_of(*object);
  Parts<std::exception_ptr> counted;
  make_copy(counted, parts);
}

[[perdure::implements(PERDURE_POINTER "10_M_releaseEv")]] void release(std::exception_ptr* object) { destroy(object); }

}  // namespace perdure::provided
