#ifndef PERDURE_PLUGIN_DISCOVER_ARGUMENT_LISTS_H
#define PERDURE_PLUGIN_DISCOVER_ARGUMENT_LISTS_H

#include <llvm/IR/IntrinsicInst.h>

/// Lists of variable arguments (va_list). What is in them is read by ordinary loads.
namespace perdure::plugin {

/// Whether va_start or va_copy can be part of a transaction: the code generator writes the list, and knows nothing of
/// transactions, so it must be in the own frame.
bool has_own_argument_list(const llvm::IntrinsicInst& intrinsic);

/// Makes copies of lists that were passed from elsewhere copies of memory.
void copy_argument_lists_as_memory(llvm::Function& clone);

}  // namespace perdure::plugin

#endif
