// The clone of the function behind dynamic_cast. Compiled with the plugin.
#include <cstddef>
#include <cstdio>
#include <cstdlib>
#include <typeinfo>

#include "perdure/attributes.h"

// Part of the ABI, but libc++abi's <cxxabi.h> does not declare it.
extern "C" PERDURE_PURE void* __dynamic_cast(const void* object, const std::type_info* from, const std::type_info* to,
                                             std::ptrdiff_t hint);

namespace perdure::provided {
namespace {

PERDURE_PURE const void* table_in_memory(const void* object) { return *static_cast<const void* const*>(object); }

[[noreturn]] PERDURE_PURE void refuse(const std::type_info* from) {
  std::fprintf(stderr,
               "perdure: dynamic_cast of an object whose virtual table this transaction has written (from type '%s')\n"
               "  cast it after the transaction that makes it, or call a virtual function instead\n",
               from->name());
  std::abort();
}

}  // namespace

/// It looks through virtual tables, which are constants, from the object's pointer to its own: right where memory holds
/// what the transaction sees.
[[perdure::implements("__dynamic_cast")]] void* dynamic_cast_of(const void* object, const std::type_info* from,
                                                                const std::type_info* to, std::ptrdiff_t hint) {
  const void* const table = *static_cast<const void* const*>(object);
  if (table != table_in_memory(object)) refuse(from);
  return __dynamic_cast(object, from, to, hint);
}

}  // namespace perdure::provided
