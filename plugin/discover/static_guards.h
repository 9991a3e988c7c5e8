#ifndef PERDURE_PLUGIN_DISCOVER_STATIC_GUARDS_H
#define PERDURE_PLUGIN_DISCOVER_STATIC_GUARDS_H

#include <llvm/ADT/DenseSet.h>
#include <llvm/ADT/SmallVector.h>
#include <llvm/ADT/StringRef.h>
#include <llvm/IR/Function.h>
#include <llvm/IR/InstrTypes.h>

/// Static local variables that are initialised when they are first come upon, by whoever does or by each thread.
namespace perdure::plugin {

/// The functions that end an initialisation: it is done, or an exception came.
inline constexpr llvm::StringLiteral initialised_symbol = "__cxa_guard_release";
inline constexpr llvm::StringLiteral given_up_symbol = "__cxa_guard_abort";

/// Whether the instruction looks, before anything else, whether such a variable is initialised. That is no matter of
/// the transaction.
bool is_check_of_guard(const llvm::Instruction& instruction);

/// The instructions, from the acquisition of a guard to its release, that make_initialisations_plain would take out.
llvm::DenseSet<const llvm::Instruction*> instructions_of_initialisations(llvm::Function& function);

/// Takes the initialisers out of a clone, into functions of their own that run as they are, and are marked pure.
/// Acquisitions that do not look like the compiler's stay.
void make_initialisations_plain(llvm::Function& clone);

}  // namespace perdure::plugin

#endif
