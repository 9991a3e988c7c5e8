#ifndef PERDURE_ABI_LIBRARY_ROWS_H
#define PERDURE_ABI_LIBRARY_ROWS_H

#include <span>

#include "abi/entry_points.h"

namespace perdure::abi {

/// Rows of the table of clones for virtual functions that live in the shared object of the standard library: the texts
/// of its exceptions. They are their own clones, since an exception is private to its thread and is not rolled back.
std::span<const PerdureClone> rows_of_library();

/// Those of the standard error categories.
std::span<const PerdureClone> rows_of_error_categories();

}  // namespace perdure::abi

#endif
