#ifndef PERDURE_PLUGIN_INSTRUMENT_MASKED_ACCESS_H
#define PERDURE_PLUGIN_INSTRUMENT_MASKED_ACCESS_H

#include <llvm/IR/IntrinsicInst.h>

#include "instrument/shared_access.h"

namespace perdure::plugin {

/// The instruction as llvm.masked.load, store, gather or scatter; null when it is none.
llvm::IntrinsicInst* as_masked_access(llvm::Instruction& instruction);

bool is_masked_load(const llvm::Instruction& instruction);

/// Replaces it by one access a lane, each under its bit of the mask: lanes that are off may not be touched.
void replace_masked_access(llvm::IntrinsicInst& masked, SharedAccess& access);

}  // namespace perdure::plugin

#endif
