#ifndef PERDURE_PLUGIN_COMMON_MARKINGS_H
#define PERDURE_PLUGIN_COMMON_MARKINGS_H

#include <llvm/ADT/STLExtras.h>
#include <llvm/IR/Function.h>
#include <llvm/IR/Module.h>

/// What the plugin writes on functions so that the other phase (or a later run of the same one) finds it. String
/// attributes, because they survive cloning, outlining and link-time optimisation.
namespace perdure::plugin {

/// What the programmer said about a function.
inline constexpr llvm::StringLiteral safe_marking = "perdure-safe";
inline constexpr llvm::StringLiteral pure_marking = "perdure-pure";
inline constexpr llvm::StringLiteral unsafe_marking = "perdure-unsafe";
inline constexpr llvm::StringLiteral serial_marking = "perdure-serial";
inline constexpr llvm::StringLiteral implements_marking = "perdure-implements";  ///< ="symbol"
inline constexpr llvm::StringLiteral replaced_marking = "perdure-replaced";      ///< ="symbol": that is called instead

/// What a file that is compiled for link-time optimisation leaves to the linker: on a clone that is only declared,
/// where it is called from; on each of its functions, that it may be cloned.
inline constexpr llvm::StringLiteral awaited_marking = "perdure-awaited";  ///< ="place of the call"
inline constexpr llvm::StringLiteral offered_marking = "perdure-offered";  ///< also on constants (code_rows.h)

/// On functions that only their file knows, and on their clones, when the linker completes the program: which file it
/// is. Others may have functions of the same name.
inline constexpr llvm::StringLiteral file_marking = "perdure-file";  ///< ="name#hash of its symbols"

/// On every clone: how far it is. A clone is made `plain` by the early phase, and the late one makes it `instrumented`.
inline constexpr llvm::StringLiteral clone_marking = "perdure-clone";
inline constexpr llvm::StringLiteral plain_stage = "plain";
inline constexpr llvm::StringLiteral instrumented_stage = "instrumented";

/// On clones of the serial flavour (clone.h), and on calls in serial transactions that stay as they are.
inline constexpr llvm::StringLiteral serial_clone_marking = "perdure-serial-clone";
inline constexpr llvm::StringLiteral as_it_is_marking = "perdure-as-it-is";

/// On clones of the write-only flavour (flavours.h).
inline constexpr llvm::StringLiteral write_only_marking = "perdure-write-only";

/// On what only its file knows, and pools may hold the address of (code_rows.h).
inline constexpr llvm::StringLiteral code_name_marking = "perdure-code-name";  ///< ="name"

/// On variables that are tables of functions, and that no code of the file changes (front_end/function_tables.h).
inline constexpr llvm::StringLiteral function_table_marking = "perdure-function-table";

/// On calls of allocation functions: where the pointers of the block are (block_layouts.h).
inline constexpr llvm::StringLiteral layout_marking = "perdure-layout";  ///< ="layout"

/// On calls of operators new: what they make can be copied into a pool (persistable.h).
inline constexpr llvm::StringLiteral persistable_marking = "perdure-persistable";

/// On calls of functions that free: what is called outside of transactions (frees.h).
inline constexpr llvm::StringLiteral frees_marking = "perdure-frees";  ///< ="symbol"

/// On clones that must not be vectorised while they are plain.
inline constexpr llvm::StringLiteral scalar_marking = "perdure-scalar";

inline bool is_clone(const llvm::Function& function) { return function.hasFnAttribute(clone_marking); }

inline bool has_clones(const llvm::Module& module) { return llvm::any_of(module, is_clone); }

inline bool is_plain_clone(const llvm::Function& function) {
  return function.getFnAttribute(clone_marking).getValueAsString() == plain_stage;
}

/// Whether transactions of other files call its clone.
inline bool is_offered_to_others(const llvm::Function& function) {
  return !function.isDeclaration() && !is_clone(function) && !function.hasFnAttribute(pure_marking) &&
         (function.hasFnAttribute(safe_marking) || function.hasFnAttribute(serial_marking) ||
          function.hasFnAttribute(implements_marking));
}

}  // namespace perdure::plugin

#endif
