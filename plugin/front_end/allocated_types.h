#ifndef PERDURE_PLUGIN_FRONT_END_ALLOCATED_TYPES_H
#define PERDURE_PLUGIN_FRONT_END_ALLOCATED_TYPES_H

#include <clang/Frontend/CompilerInstance.h>

#include <memory>

#include "layouts/block_layouts.h"

namespace perdure::plugin {

/// The types of all `new` expressions of the file, and of what allocators and C code allocate: calls of an allocation
/// function that names the size of a type and whose result is a pointer to that type. The file is searched at the first
/// question, so one that asks nothing costs nothing.
///
/// \param has_self_relative_pointers  what lies in pools are distances, and no pointers
std::unique_ptr<AllocatedTypes> make_allocated_types(clang::CompilerInstance& compiler,
                                                     bool has_self_relative_pointers);

}  // namespace perdure::plugin

#endif
