#include "discover/coroutines.h"

#include <llvm/ADT/DenseSet.h>
#include <llvm/ADT/STLExtras.h>
#include <llvm/ADT/SmallVector.h>
#include <llvm/ADT/StringExtras.h>
#include <llvm/Analysis/CGSCCPassManager.h>
#include <llvm/IR/DataLayout.h>
#include <llvm/IR/GlobalAlias.h>
#include <llvm/IR/GlobalVariable.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/InstrTypes.h>
#include <llvm/IR/Instructions.h>
#include <llvm/IR/Module.h>
#include <llvm/Support/Path.h>
#include <llvm/Support/raw_ostream.h>
#include <llvm/Support/xxhash.h>
#include <llvm/Transforms/Coroutines/CoroCleanup.h>
#include <llvm/Transforms/Coroutines/CoroEarly.h>
#include <llvm/Transforms/Coroutines/CoroSplit.h>

#include <string>

#include "common/markings.h"
#include "common/runtime_interface.h"
#include "discover/address_taken.h"

namespace perdure::plugin {

using namespace llvm;

namespace {

bool is_of_coroutine(const Function& function) {
  return function.isPresplitCoroutine() || function.getName().starts_with("llvm.coro.");
}

/// What transactions may refer to, by way of functions, tables and constants.
class Reach {
 public:
  explicit Reach(const Module& module) {
    for (const Function& function : module) {
      if (is_offered_to_others(function)) add(function);
      if (!is_run_symbol(function.getName()) && function.getName() != nested_symbol) continue;
      for (const User* const user : function.users())
        if (const auto* const call = dyn_cast<CallBase>(user)) add(*call->getArgOperand(0));
    }
    if (unvisited_.empty()) return;
    for (const Function& function : module)  // transactions may call these through pointers
      if (!function.isDeclaration() && is_address_taken(function)) add(function);
  }

  bool includes_coroutines() {
    while (!unvisited_.empty()) {
      const User* const user = unvisited_.pop_back_val();
      const auto* const function = dyn_cast<Function>(user);
      if (function != nullptr && is_of_coroutine(*function)) return true;
      if (function != nullptr)
        for (const Instruction& instruction : instructions(*function)) add_operands(instruction);
      else
        add_operands(*user);
    }
    return false;
  }

 private:
  void add_operands(const User& user) {
    for (const Value* const operand : user.operands())
      if (isa<Constant>(operand)) add(*operand);
  }

  void add(const Value& value) {
    const auto* const user = dyn_cast<User>(&value);
    if (user != nullptr && seen_.insert(user).second) unvisited_.push_back(user);
  }

  DenseSet<const User*> seen_;
  SmallVector<const User*> unvisited_;
};

/// Also those that are there for debuggers only.
bool is_about_locals(const Instruction& instruction) {
  const auto* const store = dyn_cast<StoreInst>(&instruction);
  return isa<AllocaInst>(instruction) || (store != nullptr && isa<AllocaInst>(store->getPointerOperand()));
}

/// What a function does with a frame: another one that does the same finds everything in its place there.
/// (LLVM's structural hash leaves out how wide a field is, and changes with its version.)
std::string fingerprint_of(const Function& function) {
  const DataLayout& layout = function.getParent()->getDataLayout();
  std::string text;
  raw_string_ostream out(text);
  const auto describe = [&](const Value& operand) {
    if (operand.getType()->isSized()) out << layout.getTypeAllocSize(operand.getType()).getKnownMinValue() << ':';
    if (const auto* const number = dyn_cast<ConstantInt>(&operand)) out << number->getValue();
    if (isa<Function>(operand)) out << operand.getName();
    out << ',';
  };
  for (const Instruction& instruction : instructions(function)) {
    if (is_about_locals(instruction)) continue;
    out << instruction.getOpcodeName() << ' ';
    for (const Value* const operand : instruction.operands()) describe(*operand);
    if (const auto* const address = dyn_cast<GetElementPtrInst>(&instruction)) {
      APInt offset(layout.getIndexTypeSizeInBits(address->getType()), 0);
      if (address->accumulateConstantOffset(layout, offset)) out << '+' << offset;
    }
    out << '\n';
  }
  return utohexstr(xxh3_64bits(text), /*LowerCase=*/true);
}

/// Pools may hold frames. What goes on with them in the next run must be what was compiled here, or nothing: so the
/// names that pools know it by say what it does (docs/guide.md, 11).
void name_part(Function& part, bool is_local) {
  const std::string file = is_local ? "@" + sys::path::filename(part.getParent()->getSourceFileName()).str() : "";
  part.addFnAttr(code_name_marking, (part.getName() + file + "#" + fingerprint_of(part)).str());
}

SmallVector<Function*> coroutines_of(Module& module) {
  SmallVector<Function*> coroutines;
  for (Function& function : module)
    if (function.isPresplitCoroutine() && !function.isDeclaration()) coroutines.push_back(&function);
  return coroutines;
}

}  // namespace

bool split_coroutines(Module& module, ModuleAnalysisManager& analyses, Coroutines which, bool optimizes_frames) {
  if (none_of(module, is_of_coroutine)) return false;
  const bool are_reached = Reach(module).includes_coroutines();
  if (!are_reached && which == Coroutines::in_transactions) return false;
  const SmallVector<Function*> coroutines = coroutines_of(module);
  ModulePassManager passes;
  passes.addPass(CoroEarlyPass());
  passes.addPass(createModuleToPostOrderCGSCCPassAdaptor(CoroSplitPass(optimizes_frames)));
  passes.addPass(CoroCleanupPass());
  passes.run(module, analyses);
  for (const Function* const coroutine : coroutines)
    for (const StringRef part : {".resume", ".destroy", ".cleanup"})
      if (Function* const function = module.getFunction((coroutine->getName() + part).str()))
        name_part(*function, coroutine->hasLocalLinkage());
  return are_reached;
}

}  // namespace perdure::plugin
