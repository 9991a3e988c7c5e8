#ifndef PERDURE_PLUGIN_PORTABLE_PORTABILITY_REPORT_H
#define PERDURE_PLUGIN_PORTABLE_PORTABILITY_REPORT_H

#include <llvm/Support/JSON.h>

#include "common/diagnose.h"
#include "portable/operations.h"

namespace perdure::plugin {

/// For the report (-fplugin-arg-perdure-report): each block, whether it is portable, and if not, why and where.
llvm::json::Array report_of(llvm::ArrayRef<Operation> operations);

/// The same as optimisation remarks (-Rpass=perdure, -Rpass-missed=perdure).
void remark_on(llvm::ArrayRef<Operation> operations);

/// Warns of each block that is not portable (-fplugin-arg-perdure-warn-not-portable).
void warn_of(llvm::ArrayRef<Operation> operations, Reporter& reporter);

}  // namespace perdure::plugin

#endif
