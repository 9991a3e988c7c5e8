#include "elide/repeated_reads.h"

#include <llvm/ADT/DenseMap.h>
#include <llvm/ADT/PostOrderIterator.h>
#include <llvm/ADT/STLExtras.h>
#include <llvm/Analysis/MemorySSA.h>
#include <llvm/IR/Dominators.h>
#include <llvm/IR/Instructions.h>

#include "elide/elisions.h"

namespace perdure::plugin {

using namespace llvm;

namespace {

class RepeatedReads {
 public:
  RepeatedReads(Function& clone, FunctionAnalysisManager& analyses)
      : memory_(analyses.getResult<MemorySSAAnalysis>(clone).getMSSA()),
        dominators_(analyses.getResult<DominatorTreeAnalysis>(clone)) {}

  /// The value that the load is certain to find; null when there is none.
  Value* known_value(LoadInst& load) {
    MemoryAccess* const last_write = memory_.getWalker()->getClobberingMemoryAccess(&load);
    if (Value* const written = value_written_by(last_write, load)) return written;
    auto& earlier = reads_[{load.getPointerOperand(), last_write}];
    const auto found = find_if(earlier, [&](const LoadInst* read) {
      return read->getType() == load.getType() && dominators_.dominates(read, &load);
    });
    if (found != earlier.end()) return *found;
    earlier.push_back(&load);
    return nullptr;
  }

 private:
  static Value* value_written_by(const MemoryAccess* access, const LoadInst& load) {
    const auto* const definition = dyn_cast<MemoryDef>(access);
    auto* const store = definition != nullptr ? dyn_cast_or_null<StoreInst>(definition->getMemoryInst()) : nullptr;
    if (store == nullptr || store->getPointerOperand() != load.getPointerOperand()) return nullptr;
    return store->getValueOperand()->getType() == load.getType() ? store->getValueOperand() : nullptr;
  }

  MemorySSA& memory_;
  DominatorTree& dominators_;
  DenseMap<std::pair<Value*, MemoryAccess*>, SmallVector<LoadInst*, 1>> reads_;
};

}  // namespace

void remove_repeated_reads(Function& clone, FunctionAnalysisManager& analyses, AccessReport& report) {
  RepeatedReads reads(clone, analyses);
  SmallVector<LoadInst*> removed;
  for (BasicBlock* const block : ReversePostOrderTraversal<Function*>(&clone))
    for (Instruction& instruction : *block) {
      auto* const load = dyn_cast<LoadInst>(&instruction);
      if (load == nullptr || !load->isSimple() || elision_of(*load) != nullptr) continue;
      if (Value* const value = reads.known_value(*load)) {
        report.add(*load, AccessKind::read, repeated_read.name);
        load->replaceAllUsesWith(value);
        removed.push_back(load);
      }
    }
  for (LoadInst* const load : removed) load->eraseFromParent();
  *repeated_read.count += removed.size();
}

}  // namespace perdure::plugin
