#ifndef PERDURE_PLUGIN_DISCOVER_BOUNDARY_H
#define PERDURE_PLUGIN_DISCOVER_BOUNDARY_H

#include <llvm/IR/InstrTypes.h>
#include <llvm/IR/Module.h>

#include "common/diagnose.h"

/// Where transactions begin: calls of perdure_run(body, closure).
namespace perdure::plugin {

class Discovery;

inline constexpr llvm::StringLiteral unknown_body_message =
    "the body of this transaction is not a function that is defined in this file";
inline constexpr llvm::StringLiteral unknown_body_remedy =
    "use TM_BEGIN … TM_END or perdure::execute, or in C pass the function itself to perdure_transaction";

/// The original of the body that a call of perdure_run (or perdure_transaction) runs; null when it is not known.
llvm::Function* body_of_run(const llvm::CallBase& run);

/// In a clone: replaces such a call by a call of the body, since nesting is flat.
/// \returns that call.
llvm::CallBase& call_body_directly(llvm::CallBase& run, llvm::Function& body);

/// Replaces the bodies of all transactions that start in this module by their clones.
void replace_bodies(llvm::Module& module, Discovery& discovery, Reporter& reporter);

/// Whether a file is a header that users write TM_BEGIN with.
bool is_header_of_library(llvm::StringRef file);

/// Whether a function belongs to the header that the user wrote TM_BEGIN with, rather than to the program.
bool is_library_frame(const llvm::Function& function);

}  // namespace perdure::plugin

#endif
