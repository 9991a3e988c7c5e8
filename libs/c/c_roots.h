#ifndef PERDURE_C_C_ROOTS_H
#define PERDURE_C_C_ROOTS_H

#include <string_view>

#include "perdure/roots.h"

namespace perdure::c {

/// The object of the root `name`, made of zeros on first use; for C, which has no constructors.
/// \throws what Pool::root throws.
void* find_or_make_zeroed_root(roots::RootTable& table, std::string_view name, const roots::Fingerprint& type);

}  // namespace perdure::c

#endif
