#ifndef PERDURE_PLUGIN_ELIDE_CAPTURED_MEMORY_H
#define PERDURE_PLUGIN_ELIDE_CAPTURED_MEMORY_H

#include <llvm/IR/Function.h>
#include <llvm/IR/InstrTypes.h>

/// Captured memory: blocks that a transaction has allocated itself, as long as no pointer to them has got out of the
/// function's hands. No other transaction sees such a block, and it is given back when this one aborts; so its contents
/// need no log. (Dragojević, Ni, Adl-Tabatabai: Optimizing transactions for captured memory, SPAA'09.)
///
/// What others may reach is accessed by way of the entry points, which may defer writes. So memory counts as captured
/// only where no other access can have come before: otherwise the two would be seen in the wrong order.
namespace perdure::plugin {

/// Whether the pointer certainly leads to a block that is captured at this instruction.
bool is_captured(const llvm::Value* pointer, const llvm::Instruction& access);

/// After each allocation of a block that one of the accesses writes directly, tells the runtime so: it must flush the
/// block at commit.
void announce_direct_writes(llvm::ArrayRef<llvm::Instruction*> accesses);

}  // namespace perdure::plugin

#endif
