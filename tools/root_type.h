#ifndef PERDURE_TOOLS_ROOT_TYPE_H
#define PERDURE_TOOLS_ROOT_TYPE_H

#include <filesystem>

#include "perdure/roots.h"
#include "program_types.h"

namespace perdure::tools {

/// The type of the program that a root's fingerprint names.
/// \param pool  where the root is, for messages.
/// \throws PoolError (Kind::root_type_mismatch) when the program has none of that name, or it is of another size or
/// alignment; std::runtime_error when the debug information is damaged.
Die find_type(const ProgramTypes& program, const roots::Root& root, const std::filesystem::path& pool);

}  // namespace perdure::tools

#endif
