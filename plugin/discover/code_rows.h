#ifndef PERDURE_PLUGIN_DISCOVER_CODE_ROWS_H
#define PERDURE_PLUGIN_DISCOVER_CODE_ROWS_H

#include <llvm/IR/Module.h>

#include <memory>

#include "discover/discover.h"
#include "layouts/code_addresses.h"

namespace perdure::plugin {

/// Tells the runtime, when the file is loaded, the names of its tables of virtual functions, and of the functions and
/// constants whose address it takes: what pools can hold, and find again (alloc/program_code.h). A part of a table, to
/// which objects point, has a name of its own: `_ZTV1C`, `_ZTV1C#1`.
void offer_code(llvm::Module& module, Files files);

/// Of a file without transactions, tells only of constants that it defines for others, if the program has a runtime.
void offer_constants(llvm::Module& module);

/// The linker gives other names to what only one file knows. For offer_code there: marks it with its name. For
/// translate_passed_code there: lists the types.
/// \param holders  null: not known.
void name_code(llvm::Module& module, const CodeHolders* holders);

/// Those that the files of the module have listed.
std::unique_ptr<CodeHolders> code_holders_of(const llvm::Module& module);

}  // namespace perdure::plugin

#endif
