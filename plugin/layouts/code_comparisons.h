#ifndef PERDURE_PLUGIN_LAYOUTS_CODE_COMPARISONS_H
#define PERDURE_PLUGIN_LAYOUTS_CODE_COMPARISONS_H

#include <llvm/IR/Module.h>

namespace perdure::plugin {

/// Pools know functions and constants by addresses of their own (code_addresses.h). A pointer that is compared with the
/// address of one, in a transaction or outside, is first led back to the program. Late; at -O0, where nothing says what
/// a pointer is, all that are compared are.
void compare_in_program(llvm::Function& function);

/// In all functions that are no clones.
void compare_outside_of_transactions(llvm::Module& module);

}  // namespace perdure::plugin

#endif
