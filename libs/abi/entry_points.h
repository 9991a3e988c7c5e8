#ifndef PERDURE_ABI_ENTRY_POINTS_H
#define PERDURE_ABI_ENTRY_POINTS_H

#include <cstddef>
#include <cstdint>

/// Declares what the plugin emits calls to: the rows of entry_points.def, which has their contracts, and of types.def.
namespace perdure::alloc {
struct BlockLayout;
}

extern "C" {

#define PERDURE_TYPE(suffix, type)                 \
  type perdure_read_##suffix(type const* address); \
  void perdure_write_##suffix(type* address, type value);
#include "abi/types.def"

/// A row of the table from functions to their clones, for calls through pointers. Every file with clones brings rows.
struct PerdureClone {
  void* function;
  void* clone;          ///< null: there is none
  const char* refusal;  ///< why there is none; null otherwise
};

#define PERDURE_ENTRY_POINT(name, result, parameters) result perdure_##name parameters;
#include "abi/entry_points.def"
}

#endif
