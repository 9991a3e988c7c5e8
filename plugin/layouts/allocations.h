#ifndef PERDURE_PLUGIN_LAYOUTS_ALLOCATIONS_H
#define PERDURE_PLUGIN_LAYOUTS_ALLOCATIONS_H

#include <llvm/IR/InstrTypes.h>

namespace perdure::plugin {

/// Whether the function, or the one that it is the clone of, allocates memory whose type its caller knows.
bool is_allocation(const llvm::Function& function);
bool is_allocation(const llvm::CallBase& call);

/// Whether it is one of libc++'s own, which only passes the request on.
bool forwards_allocation(const llvm::Function& function);

}  // namespace perdure::plugin

#endif
