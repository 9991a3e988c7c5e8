#ifndef PERDURE_PLUGIN_DISCOVER_CLONE_TABLE_H
#define PERDURE_PLUGIN_DISCOVER_CLONE_TABLE_H

#include <llvm/IR/Module.h>

namespace perdure::plugin {

class Discovery;

enum class OfferedFunctions {
  whose_address_is_taken,  ///< in this file, and those marked safe
  marked                   ///< in the linker: those that files have marked (whole_program.h)
};

/// For calls through pointers: clones the functions whose address is taken in this file, and adds this file's rows to
/// the program's table from functions to clones when it is loaded. To be called for files that have clones, because
/// transactions cannot come to others unannounced (docs/abi.md says which functions get rows).
void offer_to_pointers(llvm::Module& module, Discovery& discovery, OfferedFunctions which);

}  // namespace perdure::plugin

#endif
