#ifndef PERDURE_ENTRY_LIBRARY_ROWS_H
#define PERDURE_ENTRY_LIBRARY_ROWS_H

#include <span>

#include "abi/entry_points.h"

namespace perdure::entry {

/// Rows of the table of clones for functions of the libraries that pointers lead to.
std::span<const PerdureClone> rows_of_library();

/// Those of the virtual functions of the standard exceptions, which live in the shared object of the standard library.
std::span<const PerdureClone> rows_of_exceptions();

/// Those of the standard error categories.
std::span<const PerdureClone> rows_of_error_categories();

}  // namespace perdure::entry

#endif
