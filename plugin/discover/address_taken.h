#ifndef PERDURE_PLUGIN_DISCOVER_ADDRESS_TAKEN_H
#define PERDURE_PLUGIN_DISCOVER_ADDRESS_TAKEN_H

#include <llvm/IR/Module.h>

namespace perdure::plugin {

/// Whether the function may be called through a pointer that comes from this file: its address is stored, passed on or
/// part of a constant (a virtual table). What only the C++ runtime calls back (destructors given to __cxa_atexit,
/// functions that threads begin with) does not count: its clone would bring those of half a program with it.
bool is_address_taken(const llvm::Function& function);
/// The same for what is more than a part of virtual tables.
bool is_address_taken_by_itself(const llvm::Function& function);

/// Whether the variable is a table of virtual functions, of objects that are whole or being made.
bool is_virtual_table(const llvm::GlobalVariable& variable);

}  // namespace perdure::plugin

#endif
