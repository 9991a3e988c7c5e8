#ifndef PERDURE_PLUGIN_LAYOUTS_SELF_RELATIVE_H
#define PERDURE_PLUGIN_LAYOUTS_SELF_RELATIVE_H

#include <llvm/IR/Module.h>

namespace perdure::plugin {

/// Makes pointers that lie in pools self-relative: they hold the distance from where they lie to where they lead
/// (PACT'19, section II.B and Table I). Every load and store of a pointer goes through an entry point that looks at the
/// address, in transactions and outside, unless it is to a local or global variable. So do the pointers in a struct
/// that is copied, where the copy says what it is of. docs/abi.md says what is not seen.
///
/// Runs first: the optimiser makes integers and vectors of pointers.
void make_pointers_self_relative(llvm::Module& module);

/// Whether an instruction of such a module calls a part of libstdc++ that is compiled already.
bool follows_native_pointers(const llvm::Instruction& instruction);

}  // namespace perdure::plugin

#endif
