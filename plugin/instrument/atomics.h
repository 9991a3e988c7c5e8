#ifndef PERDURE_PLUGIN_INSTRUMENT_ATOMICS_H
#define PERDURE_PLUGIN_INSTRUMENT_ATOMICS_H

#include <llvm/IR/Function.h>

namespace perdure::plugin {

/// Makes the atomic operations of a clone ordinary loads and stores, and removes its fences: the transaction is atomic
/// as a whole, and orders memory at its ends. What is volatile as well is no more than atomic: so the libraries and
/// older code write atomic operations. Guards of static variables stay as they are.
void make_atomics_plain(llvm::Function& clone);

}  // namespace perdure::plugin

#endif
