#ifndef PERDURE_PLUGIN_INSTRUMENT_INSTRUMENT_H
#define PERDURE_PLUGIN_INSTRUMENT_INSTRUMENT_H

#include <llvm/IR/Module.h>
#include <llvm/IR/PassManager.h>

#include "common/diagnose.h"
#include "instrument/access_report.h"

namespace perdure::plugin {

class Checks;

/// The late phase: replaces the accesses that are left in plain clones by calls of entry points, and marks the clones
/// as instrumented, so that running it again changes nothing. With `checks` (of a checked build) those go before them.
void instrument_clones(llvm::Module& module, llvm::FunctionAnalysisManager& analyses, Reporter& reporter,
                       AccessReport& report, Checks* checks);

}  // namespace perdure::plugin

#endif
