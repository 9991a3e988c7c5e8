#include "discover/static_guards.h"

#include <llvm/ADT/STLExtras.h>
#include <llvm/IR/Constants.h>
#include <llvm/IR/GlobalVariable.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/Instructions.h>
#include <llvm/IR/Module.h>
#include <llvm/Transforms/Utils/BasicBlockUtils.h>
#include <llvm/Transforms/Utils/Cloning.h>
#include <llvm/Transforms/Utils/CodeExtractor.h>

#include <optional>

#include "common/markings.h"
#include "common/runtime_interface.h"

namespace perdure::plugin {

using namespace llvm;

namespace {

constexpr StringLiteral acquire_symbol = "__cxa_guard_acquire";

/// The guard that a call of the function is about; null when it is no such call.
Value* guard_of(const Instruction& instruction, StringRef symbol) {
  const auto* const call = dyn_cast<CallBase>(&instruction);
  const Function* const callee = call != nullptr ? call->getCalledFunction() : nullptr;
  return callee != nullptr && callee->getName() == symbol ? call->getArgOperand(0) : nullptr;
}

SmallVector<CallInst*> acquisitions_in(Function& function) {
  SmallVector<CallInst*> acquisitions;
  // A file without such variables is not searched.
  const Function* const acquire = function.getParent()->getFunction(acquire_symbol);
  if (acquire == nullptr) return acquisitions;
  for (Instruction& instruction : instructions(function))
    if (guard_of(instruction, acquire_symbol) != nullptr)
      if (auto* const call = dyn_cast<CallInst>(&instruction)) acquisitions.push_back(call);
  return acquisitions;
}

/// One initialisation: the blocks from where the guard is acquired to where it is released, or given up because of an
/// exception. The last blocks may go on with what is not part of it.
struct Initialisation {
  CallInst* acquisition = nullptr;
  SmallVector<BasicBlock*> blocks;       // the first one is the entry
  SmallVector<Instruction*> last_calls;  // of release and abort
};

/// The block that is entered when the guard was acquired.
BasicBlock* entry_of(CallInst& acquisition) {
  const auto* const branch = dyn_cast<BranchInst>(acquisition.getParent()->getTerminator());
  if (branch == nullptr || !branch->isConditional()) return nullptr;
  const auto* const comparison = dyn_cast<ICmpInst>(branch->getCondition());
  if (comparison == nullptr || comparison->getOperand(0) != &acquisition) return nullptr;
  const auto* const zero = dyn_cast<ConstantInt>(comparison->getOperand(1));
  if (zero == nullptr || !zero->isZero() || !comparison->isEquality()) return nullptr;
  return branch->getSuccessor(comparison->getPredicate() == ICmpInst::ICMP_EQ ? 1 : 0);
}

Instruction* last_call_in(BasicBlock& block, const Value* guard) {
  const auto ends = [&](const Instruction& instruction) {
    return guard_of(instruction, initialised_symbol) == guard || guard_of(instruction, given_up_symbol) == guard;
  };
  const auto position = find_if(block, ends);
  return position != block.end() ? &*position : nullptr;
}

/// Whether only the initialisation leads to its blocks.
bool has_one_entry(const Initialisation& initialisation) {
  return all_of(drop_begin(initialisation.blocks), [&](BasicBlock* block) {
    return all_of(predecessors(block),
                  [&](BasicBlock* predecessor) { return is_contained(initialisation.blocks, predecessor); });
  });
}

/// A block that ends the program (because a destructor throws while an exception is handled) is shared by all of a
/// function that may need it: the initialisation gets one of its own.
void separate_dead_ends(Initialisation& initialisation) {
  for (BasicBlock*& block : initialisation.blocks) {
    if (!isa<UnreachableInst>(block->getTerminator()) || !block->phis().empty()) continue;
    SmallVector<BasicBlock*> inside;
    for (BasicBlock* const predecessor : predecessors(block))
      if (is_contained(initialisation.blocks, predecessor)) inside.push_back(predecessor);
    if (inside.size() == pred_size(block)) continue;
    ValueToValueMapTy copies;
    BasicBlock* const copy = CloneBasicBlock(block, copies, ".initialiser", block->getParent());
    remapInstructionsInBlocks({copy}, copies);
    for (BasicBlock* const predecessor : inside) predecessor->getTerminator()->replaceSuccessorWith(block, copy);
    block = copy;
  }
}

std::optional<Initialisation> initialisation_of(CallInst& acquisition) {
  BasicBlock* const entry = entry_of(acquisition);
  if (entry == nullptr || entry->getSinglePredecessor() == nullptr) return std::nullopt;
  Initialisation result{&acquisition, {entry}, {}};
  for (std::size_t i = 0; i < result.blocks.size(); ++i) {
    if (Instruction* const last = last_call_in(*result.blocks[i], acquisition.getArgOperand(0))) {
      result.last_calls.push_back(last);
      continue;
    }
    for (BasicBlock* const successor : successors(result.blocks[i]))
      if (!is_contained(result.blocks, successor)) result.blocks.push_back(successor);
  }
  return result;
}

/// What the new function inherits from the clone says that it is one.
void make_ordinary(Function& initialiser) {
  for (const StringLiteral marking : {clone_marking, safe_marking, implements_marking, unsafe_marking, scalar_marking})
    initialiser.removeFnAttr(marking);
  initialiser.removeFnAttr(Attribute::NoImplicitFloat);
  initialiser.addFnAttr(pure_marking);
  initialiser.addFnAttr(Attribute::NoInline);
}

void replace_callee(Instruction& call, FunctionCallee callee) { cast<CallBase>(call).setCalledFunction(callee); }

void make_plain(Initialisation& initialisation) {
  Function& clone = *initialisation.acquisition->getFunction();
  EntryPoints entry_points(*clone.getParent());
  separate_dead_ends(initialisation);
  if (!has_one_entry(initialisation)) return;
  for (Instruction* const last : initialisation.last_calls) SplitBlock(last->getParent(), last->getNextNode());
  CodeExtractor extractor(initialisation.blocks, /*DT=*/nullptr, /*AggregateArgs=*/false, /*BFI=*/nullptr,
                          /*BPI=*/nullptr, /*AC=*/nullptr, /*AllowVarArgs=*/false, /*AllowAlloca=*/true,
                          /*AllocationBlock=*/nullptr, "initialiser");
  if (!extractor.isEligible()) return;
  const CodeExtractorAnalysisCache cache(clone);
  Function* const initialiser = extractor.extractCodeRegion(cache);
  if (initialiser == nullptr) return;
  make_ordinary(*initialiser);
  replace_callee(*initialisation.acquisition, entry_points.guard_acquire());
  for (Instruction* const last : initialisation.last_calls) {
    const bool releases = guard_of(*last, initialised_symbol) != nullptr;
    replace_callee(*last, releases ? entry_points.guard_release() : entry_points.guard_abort());
  }
}

}  // namespace

bool is_check_of_guard(const Instruction& instruction) {
  const auto* const load = dyn_cast<LoadInst>(&instruction);
  if (load == nullptr || !load->isAtomic()) return false;
  const auto* const variable = dyn_cast<GlobalVariable>(load->getPointerOperand());
  return variable != nullptr && variable->getName().starts_with("_ZGV");
}

DenseSet<const Instruction*> instructions_of_initialisations(Function& function) {
  DenseSet<const Instruction*> result;
  for (CallInst* const acquisition : acquisitions_in(function)) {
    const auto initialisation = initialisation_of(*acquisition);
    if (!initialisation) continue;
    result.insert(acquisition);
    for (const BasicBlock* const block : initialisation->blocks)
      for (const Instruction& instruction : *block) {
        result.insert(&instruction);
        if (is_contained(initialisation->last_calls, &instruction)) break;
      }
  }
  return result;
}

void make_initialisations_plain(Function& clone) {
  for (CallInst* const acquisition : acquisitions_in(clone))
    if (auto initialisation = initialisation_of(*acquisition)) make_plain(*initialisation);
}

}  // namespace perdure::plugin
