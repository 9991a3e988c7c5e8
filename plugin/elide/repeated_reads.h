#ifndef PERDURE_PLUGIN_ELIDE_REPEATED_READS_H
#define PERDURE_PLUGIN_ELIDE_REPEATED_READS_H

#include <llvm/IR/Function.h>
#include <llvm/IR/PassManager.h>

#include "instrument/access_report.h"

namespace perdure::plugin {

/// In a clone whose accesses are loads and stores still: takes the value of an earlier read or write of the same
/// location instead of reading again, where nothing in between may have written it. A transaction that reads a location
/// twice sees the same value, or aborts; so what it does not read again it does not miss.
///
/// The optimiser has done most of this where it is on; here is what it left.
void remove_repeated_reads(llvm::Function& clone, llvm::FunctionAnalysisManager& analyses, AccessReport& report);

}  // namespace perdure::plugin

#endif
