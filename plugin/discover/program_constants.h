#ifndef PERDURE_PLUGIN_DISCOVER_PROGRAM_CONSTANTS_H
#define PERDURE_PLUGIN_DISCOVER_PROGRAM_CONSTANTS_H

#include <llvm/ADT/StringSet.h>
#include <llvm/IR/GlobalVariable.h>
#include <llvm/IR/Module.h>

#include <cstdint>

/// Constants of the program whose addresses transactions may store: empty slots that all tables of a library share,
/// records of functions that objects of a C library lead to (also variables, front_end/function_tables.h), string
/// literals.
namespace perdure::plugin {

/// Of these symbols, those that no code of the module changes count as constants from here on.
void mark_function_tables(llvm::Module& module, const llvm::StringSet<>& symbols);

/// Whether pools can hold the address under a name: the variable never changes, and a copy of it does as well.
bool is_program_constant(const llvm::GlobalVariable& variable);

/// In bytes; 0 where only another file knows it: `extern const char table[];`
std::uint64_t size_of_constant(const llvm::GlobalVariable& variable);

/// Whether a file that does not know its size may do so.
bool may_be_kept_elsewhere(const llvm::GlobalVariable& variable);

/// The function that initialises it; null if it needs none, or if that function is gone. A program that has not come to
/// it yet may have a pool that leads to it.
llvm::Function* initialiser_of(const llvm::GlobalVariable& constant);

/// Whether it is a string literal, which goes by what it says.
bool is_text(const llvm::GlobalVariable& variable);

/// Whether the address gets anywhere: it is stored, passed on, returned, or part of another variable. A table that is
/// only looked into does not count.
bool is_address_kept(const llvm::GlobalVariable& variable);

}  // namespace perdure::plugin

#endif
