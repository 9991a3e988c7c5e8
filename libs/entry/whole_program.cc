// Refers to everything that clones may call. The linker makes clones after it has chosen which parts of the library it
// takes (docs/abi.md); a file with clones refers to this table, so that everything is there. The plugin takes the
// reference out when it has made the clones, and with it goes what none of them calls.
#include <version>

#include "abi/entry_points.h"
#include "entry/private_calls.h"

#ifdef _LIBCPP_VERSION
#define PERDURE_PROVIDED_LIBSTDCXX(symbol)
#else
#define PERDURE_PROVIDED_LIBCXX(symbol)
#endif

// A runtime of a test that lacks some makes the references weak.
#ifndef PERDURE_REFERENCE
#define PERDURE_REFERENCE
#endif
#define PERDURE_PROVIDED(symbol) extern "C" PERDURE_REFERENCE char perdure_tm_##symbol;
#include "abi/provided.def"

#ifdef _LIBCPP_VERSION
#define PERDURE_PROVIDED_LIBSTDCXX(symbol)
#else
#define PERDURE_PROVIDED_LIBCXX(symbol)
#endif

namespace {

template <class Function>
const void* address_of(Function* function) {
  return reinterpret_cast<const void*>(function);
}

}  // namespace

extern "C" {

extern const void* const perdure_whole_program[];

const void* const perdure_whole_program[] = {
#define PERDURE_PROVIDED(symbol) &perdure_tm_##symbol,
#include "abi/provided.def"
#define PERDURE_TYPE(suffix, type) address_of(perdure_read_##suffix), address_of(perdure_write_##suffix),
#include "abi/types.def"
#define PERDURE_ENTRY_POINT(name, result, parameters) address_of(perdure_##name),
#define PERDURE_OF_PROGRAMS(name, result, parameters)
#include "abi/entry_points.def"
    address_of(perdure_private_at),          address_of(perdure_private_object),
    address_of(perdure_private_of_library),  address_of(perdure_private_resource),
    address_of(perdure_private_unless_null), address_of(perdure_private_locale),
    address_of(perdure_private_text),        address_of(perdure_private_view),
    address_of(perdure_private_c_string),    address_of(perdure_private_bytes),
    address_of(perdure_private_original),    address_of(perdure_private_begin),
    address_of(perdure_private_end),         address_of(perdure_private_unwind),
    address_of(perdure_private_assign_text), address_of(perdure_private_return_text),
    address_of(perdure_private_done),
};
}
