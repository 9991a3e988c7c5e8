#ifndef PERDURE_PLUGIN_FRONT_END_ALLOCATION_SEARCH_H
#define PERDURE_PLUGIN_FRONT_END_ALLOCATION_SEARCH_H

#include <clang/AST/ASTContext.h>
#include <clang/AST/Decl.h>
#include <clang/AST/Type.h>

#include <cstdint>
#include <vector>

namespace perdure::plugin {

/// A place in the source that allocates memory.
struct Allocation {
  const clang::FunctionDecl* function;  ///< null outside of functions
  clang::SourceLocation location;       ///< invalid in a default argument, whose code has that of what is around a call
  clang::QualType type;                 ///< of the elements; null when that is not certain
  std::uint64_t first_element;          ///< bytes before the first
};

/// All allocations of the file. Of each function that code is made from, none is missing.
std::vector<Allocation> allocations_in(clang::ASTContext& context);

}  // namespace perdure::plugin

#endif
