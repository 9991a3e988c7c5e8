#ifndef PERDURE_PLUGIN_LAYOUTS_CODE_ADDRESSES_H
#define PERDURE_PLUGIN_LAYOUTS_CODE_ADDRESSES_H

#include <llvm/ADT/ArrayRef.h>
#include <llvm/ADT/StringSet.h>
#include <llvm/IR/Instruction.h>
#include <llvm/IR/Module.h>

namespace perdure::plugin {

/// Types with a member that is a pointer to a function or to a member function, or with a part of such a type.
struct CodeHolders {
  llvm::StringSet<> names;       ///< as metadata of accesses has them: `_ZTS1C`, in C `C`
  llvm::StringSet<> structures;  ///< as modules name them, without `class.` and the like
};

/// Whether one of what the pointer may be is a function or a constant of the program, or leads into a table of virtual
/// functions.
bool leads_to_code(const llvm::Value* pointer);

/// In all clones: what is stored and may be the address of a function, though which one is not known here, goes through
/// perdure_code_address. That is what is stored into a member of a type that has pointers to functions, in a template
/// of one, or where nothing says of which type it is. Early, while accesses are those of the source.
/// \param holders  null: not known, which is as if there were none.
void translate_passed_code(llvm::Module& module, const CodeHolders* holders);

/// The same for constants: functions, tables of virtual functions and constant variables. Late, when what is constant
/// has been found out. Also for pointers that are stored together, or copied from a local.
void translate_constant_code(llvm::Function& clone);

/// What is stored without the runtime, in memory that the transaction has allocated, and may be of the program. (Where
/// the runtime stores a pointer, it sees to that itself.)
void translate_direct_stores(llvm::ArrayRef<llvm::Instruction*> writes);

}  // namespace perdure::plugin

#endif
