#include "discover/static_guards.h"

#include <llvm/ADT/STLExtras.h>
#include <llvm/IR/Constants.h>
#include <llvm/IR/GlobalVariable.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/Instructions.h>
#include <llvm/IR/IntrinsicInst.h>
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
constexpr StringLiteral end_with_thread_symbol = "__cxa_thread_atexit";

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

/// The guard of a thread's own variable, which is no other thread's business: a byte that is loaded and stored.
const Value* guard_of_thread(const Value* pointer) {
  if (const auto* const call = dyn_cast<IntrinsicInst>(pointer);
      call != nullptr && call->getIntrinsicID() == Intrinsic::threadlocal_address)
    pointer = call->getArgOperand(0);
  const auto* const variable = dyn_cast<GlobalVariable>(pointer);
  const bool is_guard = variable != nullptr && variable->isThreadLocal() && variable->getName().starts_with("_ZGV");
  return is_guard ? variable : nullptr;
}

SmallVector<LoadInst*> checks_of_thread_guards(Function& function) {
  SmallVector<LoadInst*> checks;
  if (function.getParent()->getFunction(end_with_thread_symbol) == nullptr) return checks;
  for (Instruction& instruction : instructions(function))
    if (auto* const load = dyn_cast<LoadInst>(&instruction);
        load != nullptr && guard_of_thread(load->getPointerOperand()) != nullptr)
      checks.push_back(load);
  return checks;
}

/// One initialisation: the blocks from where the guard is acquired to where it is released, or given up because of an
/// exception. The last blocks may go on with what is not part of it.
struct Initialisation {
  Instruction* beginning = nullptr;  // the acquisition, or the load of a thread's guard
  SmallVector<BasicBlock*> blocks;   // the first one is the entry
  SmallVector<Instruction*> ends;    // calls of release and abort, or the store to a thread's guard
};

/// The block that initialises: entered where the acquisition gives another number than 0, or a thread's guard is 0.
BasicBlock* entry_of(Instruction& beginning) {
  const auto* const branch = dyn_cast<BranchInst>(beginning.getParent()->getTerminator());
  if (branch == nullptr || !branch->isConditional()) return nullptr;
  const auto* const comparison = dyn_cast<ICmpInst>(branch->getCondition());
  if (comparison == nullptr || comparison->getOperand(0) != &beginning) return nullptr;
  const auto* const zero = dyn_cast<ConstantInt>(comparison->getOperand(1));
  if (zero == nullptr || !zero->isZero() || !comparison->isEquality()) return nullptr;
  const bool is_for_zero = isa<LoadInst>(beginning);
  return branch->getSuccessor((comparison->getPredicate() == ICmpInst::ICMP_EQ) == is_for_zero ? 0 : 1);
}

bool ends(const Instruction& instruction, const Value* guard) {
  if (const auto* const store = dyn_cast<StoreInst>(&instruction))
    return guard_of_thread(store->getPointerOperand()) == guard;
  return guard_of(instruction, initialised_symbol) == guard || guard_of(instruction, given_up_symbol) == guard;
}

Instruction* end_in(BasicBlock& block, const Value* guard) {
  const auto position = find_if(block, [&](const Instruction& instruction) { return ends(instruction, guard); });
  return position != block.end() ? &*position : nullptr;
}

/// Whether only the initialisation leads to its blocks.
bool has_one_entry(const Initialisation& initialisation) {
  return all_of(drop_begin(initialisation.blocks), [&](BasicBlock* block) {
    return all_of(predecessors(block),
                  [&](BasicBlock* predecessor) { return is_contained(initialisation.blocks, predecessor); });
  });
}

/// A block from which the function is not gone on with (an exception leaves it, or the program ends because a
/// destructor throws meanwhile) is shared by all that may need it: the initialisation gets one of its own.
void separate_dead_ends(Initialisation& initialisation) {
  for (BasicBlock*& block : initialisation.blocks) {
    if (!isa<UnreachableInst, ResumeInst>(block->getTerminator()) || !block->phis().empty()) continue;
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

std::optional<Initialisation> initialisation_from(Instruction& beginning, const Value* guard) {
  BasicBlock* const entry = entry_of(beginning);
  if (entry == nullptr || entry->getSinglePredecessor() == nullptr) return std::nullopt;
  Initialisation result{&beginning, {entry}, {}};
  for (std::size_t i = 0; i < result.blocks.size(); ++i) {
    if (Instruction* const last = end_in(*result.blocks[i], guard)) {
      result.ends.push_back(last);
      continue;
    }
    for (BasicBlock* const successor : successors(result.blocks[i]))
      if (!is_contained(result.blocks, successor)) result.blocks.push_back(successor);
  }
  return result;
}

bool ends_with_thread(const Initialisation& initialisation) {
  return any_of(initialisation.blocks, [](const BasicBlock* block) {
    return any_of(*block, [](const Instruction& instruction) {
      return guard_of(instruction, end_with_thread_symbol) != nullptr;
    });
  });
}

/// All in the function. Of those of a thread's own variables only those that the transaction could not have undone: the
/// thread destroys them when it ends.
template <class Use>
void for_each_initialisation(Function& function, Use use) {
  for (CallInst* const acquisition : acquisitions_in(function))
    if (auto initialisation = initialisation_from(*acquisition, acquisition->getArgOperand(0))) use(*initialisation);
  for (LoadInst* const check : checks_of_thread_guards(function))
    if (auto initialisation = initialisation_from(*check, guard_of_thread(check->getPointerOperand()));
        initialisation && !initialisation->ends.empty() && ends_with_thread(*initialisation))
      use(*initialisation);
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
  Function& clone = *initialisation.beginning->getFunction();
  EntryPoints entry_points(*clone.getParent());
  separate_dead_ends(initialisation);
  if (!has_one_entry(initialisation)) return;
  for (Instruction* const last : initialisation.ends) SplitBlock(last->getParent(), last->getNextNode());
  CodeExtractor extractor(initialisation.blocks, /*DT=*/nullptr, /*AggregateArgs=*/false, /*BFI=*/nullptr,
                          /*BPI=*/nullptr, /*AC=*/nullptr, /*AllowVarArgs=*/false, /*AllowAlloca=*/true,
                          /*AllocationBlock=*/nullptr, "initialiser");
  if (!extractor.isEligible()) return;
  const CodeExtractorAnalysisCache cache(clone);
  Function* const initialiser = extractor.extractCodeRegion(cache);
  if (initialiser == nullptr) return;
  make_ordinary(*initialiser);
  if (isa<LoadInst>(initialisation.beginning)) return;  // nobody else waits for it
  replace_callee(*initialisation.beginning, entry_points.guard_acquire());
  for (Instruction* const last : initialisation.ends) {
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
  for_each_initialisation(function, [&](const Initialisation& initialisation) {
    result.insert(initialisation.beginning);
    for (const BasicBlock* const block : initialisation.blocks)
      for (const Instruction& instruction : *block) {
        result.insert(&instruction);
        if (is_contained(initialisation.ends, &instruction)) break;
      }
  });
  return result;
}

void make_initialisations_plain(Function& clone) { for_each_initialisation(clone, make_plain); }

}  // namespace perdure::plugin
