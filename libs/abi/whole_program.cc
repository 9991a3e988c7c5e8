// Refers to everything that clones may call. The linker makes clones after it has chosen which parts of the library it
// takes (docs/abi.md); a file with clones refers to this table, so that everything is there. The plugin takes the
// reference out when it has made the clones, and with it goes what none of them calls.
#include <version>

#include "abi/entry_points.h"

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
    address_of(perdure_read_bytes),
    address_of(perdure_write_bytes),
    address_of(perdure_memcpy),
    address_of(perdure_memmove),
    address_of(perdure_memset),
    address_of(perdure_clone_of),
    address_of(perdure_add_clones),
    address_of(perdure_remove_clones),
    address_of(perdure_guard_acquire),
    address_of(perdure_guard_release),
    address_of(perdure_guard_abort),
    address_of(perdure_written_directly),
    address_of(perdure_choose_flavour),
    address_of(perdure_encode_pointer),
    address_of(perdure_decode_pointer),
    address_of(perdure_save_local),
    address_of(perdure_check_access),
    address_of(perdure_check_pointer),
    address_of(perdure_check_word),
    address_of(perdure_check_linked),
    address_of(perdure_check_free),
    address_of(perdure_set_block_layout),
    address_of(perdure_become_serial),
    address_of(perdure_add_serial_clones),
    address_of(perdure_remove_serial_clones),
};
}
