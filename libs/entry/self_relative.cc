// Self-relative pointers (docs/abi.md): what Table I of PACT'19 measures.
#include <cstdint>
#include <cstdio>
#include <cstdlib>

#include "abi/entry_points.h"
#include "perdure/statistics.h"
#include "pool/window.h"

namespace {

/// A pointer that leads to its own second byte would be null. A pointer to itself, which lists have, is not.
constexpr std::uintptr_t bias = 1;

}  // namespace

extern "C" {

void* perdure_encode_pointer(void* value, void* place) {
  if (!perdure::pool::in_window(place) || value == nullptr) return value;
  return reinterpret_cast<void*>(reinterpret_cast<std::uintptr_t>(value) - reinterpret_cast<std::uintptr_t>(place) -
                                 bias);
}

void* perdure_decode_pointer(void* stored, void* place) {
  if (!perdure::pool::in_window(place) || stored == nullptr) return stored;
  return reinterpret_cast<void*>(reinterpret_cast<std::uintptr_t>(stored) + reinterpret_cast<std::uintptr_t>(place) +
                                 bias);
}

void perdure_use_self_relative_pointers() {
  if (!perdure::library_is_durable()) return;
  std::fprintf(stderr,
               "perdure: a file of this program was compiled with self-relative pointers, but %s is a durable library, "
               "whose recovery follows native ones. Compile without -fplugin-arg-perdure-self-relative, or link "
               "another library (orec_lazy_stm)\n",
               perdure::library_name());
  std::abort();
}

}  // extern "C"
