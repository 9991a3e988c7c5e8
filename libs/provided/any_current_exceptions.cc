// Clones of what makes pointers to the exception in flight, and of the exceptions that hold one; libstdc++ has some of
// them in its headers. Compiled with the plugin.
#include <exception>

#include "exception_parts.h"
#include "perdure/attributes.h"

namespace perdure::provided {
namespace {

PERDURE_PURE void make_current(Parts<std::exception_ptr>& made) {
  new (made.bytes) std::exception_ptr(std::current_exception());
}

[[noreturn]] PERDURE_PURE void rethrow(Parts<std::nested_exception>& parts) { parts.object().rethrow_nested(); }

void construct(std::nested_exception* object) { construct_with(object); }

}  // namespace

[[perdure::implements("_ZSt17current_exceptionv")]] std::exception_ptr current() {
  std::exception_ptr result;
  Parts<std::exception_ptr> made;
  make_current(made);
  put(&result, made);
  return result;
}

[[perdure::implements("_ZNSt16nested_exceptionC1Ev")]] void complete(std::nested_exception* object) {
  construct(object);
}
[[perdure::implements("_ZNSt16nested_exceptionC2Ev")]] void base(std::nested_exception* object) { construct(object); }
[[perdure::implements("_ZNKSt16nested_exception14rethrow_nestedEv")]] void rethrow_nested(
    const std::nested_exception* object) {
  Parts<std::nested_exception> parts = parts_of(*object);
  rethrow(parts);
}

}  // namespace perdure::provided
