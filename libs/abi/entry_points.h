#ifndef PERDURE_ABI_ENTRY_POINTS_H
#define PERDURE_ABI_ENTRY_POINTS_H

#include <cstddef>
#include <cstdint>

/// Declares what the plugin emits calls to: the rows of entry_points.def, which has their contracts, and of types.def.
namespace perdure::alloc {
struct BlockLayout;
}
namespace perdure::abi {
struct OperationFrame;
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

/// A row of what a file offers to pools by name: its tables of virtual functions, and functions whose address it takes
/// (alloc/program_code.h). Every file with clones brings rows.
struct PerdureCode {
  const char* name;
  const void* address;
  std::size_t bytes;  ///< of a table; 0: it is a function
};

#define PERDURE_ENTRY_POINT(name, result, parameters) result perdure_##name parameters;
#include "abi/entry_points.def"
}

#endif
