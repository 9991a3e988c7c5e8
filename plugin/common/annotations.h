#ifndef PERDURE_PLUGIN_COMMON_ANNOTATIONS_H
#define PERDURE_PLUGIN_COMMON_ANNOTATIONS_H

#include <llvm/IR/Module.h>

namespace perdure::plugin {

/// What a source attribute is called in llvm.global.annotations, and on functions: `perdure.safe` and `perdure-safe`.
inline constexpr llvm::StringLiteral annotation_prefix = "perdure.";

/// Turns the `perdure.*` entries of llvm.global.annotations into function attributes and removes them from there, where
/// they would keep unused functions alive. (Marks: markings.h.)
void move_annotations_to_functions(llvm::Module& module);

/// Marks thunks of functions that are marked safe. They have no declaration of their own to be marked at.
void mark_thunks(llvm::Module& module);

}  // namespace perdure::plugin

#endif
