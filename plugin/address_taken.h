#ifndef PERDURE_PLUGIN_ADDRESS_TAKEN_H
#define PERDURE_PLUGIN_ADDRESS_TAKEN_H

#include <llvm/IR/Module.h>

namespace perdure::plugin {

/// Whether the function may be called through a pointer that comes from this file: its address is stored, passed on or
/// part of a constant (a virtual table). What only the C++ runtime calls back (destructors given to __cxa_atexit) does
/// not count.
bool is_address_taken(const llvm::Function& function);

}  // namespace perdure::plugin

#endif
