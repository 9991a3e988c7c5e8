#ifndef PERDURE_PLUGIN_COMMON_FORWARDING_H
#define PERDURE_PLUGIN_COMMON_FORWARDING_H

#include <llvm/IR/Function.h>

namespace perdure::plugin {

/// A weak function of that name, of the same type, that calls `function`: so the runtime's takes its place.
llvm::Function& define_weak_caller(llvm::Function& function, llvm::StringRef symbol);

}  // namespace perdure::plugin

#endif
