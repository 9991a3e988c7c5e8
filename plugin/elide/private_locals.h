#ifndef PERDURE_PLUGIN_ELIDE_PRIVATE_LOCALS_H
#define PERDURE_PLUGIN_ELIDE_PRIVATE_LOCALS_H

#include <llvm/IR/Instruction.h>
#include <llvm/IR/Module.h>

/// Private locals: variables of the function that runs a transaction whose address goes nowhere but into the
/// transaction's closure (the closure itself among them), and is not passed on by the transaction either. No other
/// thread can reach them, so accesses to them need no instrumentation; but an abort must bring back what was written.
///
/// Unlike the other elisions this one looks at two functions together: the one that runs the transaction and the
/// transaction's body. It needs the optimiser to have inlined what lies between them (perdure::execute).
///
/// A local is private only when all accesses of transactions to it are seen: what others reach through its address is
/// accessed by way of the entry points, which may defer writes, and validate by value what was read.
namespace perdure::plugin {

/// Marks accesses of plain clones to private locals, and has the runtime save what is written at the start of the
/// body. Bodies with several callers get a copy for each that it can be done for.
void mark_private_locals(llvm::Module& module);

/// What the marks say: whether the instruction reads from, or writes to, a private local.
bool reads_private_local(const llvm::Instruction& access);
bool writes_private_local(const llvm::Instruction& access);

}  // namespace perdure::plugin

#endif
