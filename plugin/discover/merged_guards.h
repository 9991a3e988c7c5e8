#ifndef PERDURE_PLUGIN_DISCOVER_MERGED_GUARDS_H
#define PERDURE_PLUGIN_DISCOVER_MERGED_GUARDS_H

#include <llvm/IR/Module.h>

namespace perdure::plugin {

/// The optimiser may have put the ends of two initialisations together, where each is given up because of an exception:
/// `__cxa_guard_abort(one or the other)`. Each gets an end of its own again, so that it can be told from the other
/// (discover/static_guards.h). It matters where clones are made of what was optimised: at link time.
void separate_merged_guards(llvm::Module& module);

}  // namespace perdure::plugin

#endif
