#ifndef PERDURE_PLUGIN_INSTRUMENT_INSTRUMENT_CALLS_H
#define PERDURE_PLUGIN_INSTRUMENT_INSTRUMENT_CALLS_H

#include <llvm/IR/IntrinsicInst.h>

#include "instrument/shared_access.h"

namespace perdure::plugin {

/// llvm.memcpy, memmove and memset, of which a side may be shared.
void replace_memory_intrinsic(llvm::MemIntrinsic& memory, SharedAccess& access);

/// Other calls: of functions that the runtime provides a clone of, and such that pass shared memory by value.
void adapt_call(llvm::CallBase& call, SharedAccess& access);

}  // namespace perdure::plugin

#endif
