#ifndef PERDURE_PLUGIN_DISCOVER_SINGLE_CALLS_H
#define PERDURE_PLUGIN_DISCOVER_SINGLE_CALLS_H

#include <llvm/IR/Module.h>

namespace perdure::plugin {

/// Has the optimiser inline every clone that is called from one place only, which costs no code. It does so by itself
/// with functions that no other file can see, which clones of inline functions and templates are not. An access can be
/// left as it is only where it is seen whose memory it is to: that of the caller's frame, mostly (elisions.h,
/// private_locals.h).
void inline_single_calls(llvm::Module& module);

}  // namespace perdure::plugin

#endif
