#ifndef PERDURE_PLUGIN_INSTRUMENT_STRIP_DEDUCTIONS_H
#define PERDURE_PLUGIN_INSTRUMENT_STRIP_DEDUCTIONS_H

#include <llvm/IR/Module.h>

namespace perdure::plugin {

/// Removes what the optimiser deduced (or the programmer declared) about clones while their accesses were loads and
/// stores: `memory(read)`, `willreturn`, `noalias` and so on. With calls in their place it is no longer true, and later
/// passes, also at link time, would drop or move those calls. Also for clones that are defined in other files.
///
/// `nounwind` stays: what throws in a clone also throws in its original, and entry points do not throw.
void strip_deductions(llvm::Module& module);

}  // namespace perdure::plugin

#endif
