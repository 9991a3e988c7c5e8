#include "discover/frees.h"

#include <llvm/ADT/STLExtras.h>
#include <llvm/ADT/SmallVector.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/Instructions.h>
#include <llvm/Transforms/Utils/ModuleUtils.h>

#include <iterator>

#include "common/forwarding.h"
#include "common/markings.h"
#include "common/runtime_interface.h"

namespace perdure::plugin {

using namespace llvm;

namespace {

struct Freeing {
  StringLiteral symbol;
  StringLiteral of_runtime;
};

constexpr Freeing freeing[] = {{"free", free_symbol},
                               {"realloc", realloc_symbol},
                               {"reallocarray", reallocarray_symbol},
                               {"malloc_usable_size", malloc_usable_size_symbol}};

Function& define_fallback(Function& function, StringRef symbol) {
  Function& fallback = define_weak_caller(function, symbol);
  fallback.addFnAttr(Attribute::NoUnwind);
  fallback.addFnAttr(Attribute::NoInline);
  // Also where nothing refers to it before the late phase, in the linker.
  appendToCompilerUsed(*function.getParent(), {&fallback});
  return fallback;
}

bool is_pointer(const Use& use) {
  if (const auto* const call = dyn_cast<CallBase>(use.getUser())) return !call->isCallee(&use);
  const auto* const variable = dyn_cast<GlobalVariable>(use.getUser());
  return variable == nullptr || !variable->getName().starts_with("llvm.");
}

void mark(Function& function, StringRef of_runtime) {
  SmallVector<CallBase*> calls;
  for (const Use& use : function.uses())
    if (auto* const call = dyn_cast<CallBase>(use.getUser()); call != nullptr && call->isCallee(&use))
      if (call->getFunctionType() == function.getFunctionType()) calls.push_back(call);
  for (CallBase* const call : calls) call->addFnAttr(Attribute::get(function.getContext(), frees_marking, of_runtime));
  Function& fallback = define_fallback(function, of_runtime);
  function.replaceUsesWithIf(&fallback, is_pointer);
}

const Freeing* outside_named(StringRef symbol) {
  const auto* const found = find_if(freeing, [&](const Freeing& each) { return each.of_runtime == symbol; });
  return found != std::end(freeing) ? found : nullptr;
}

}  // namespace

bool is_free_outside(const Function& function) { return outside_named(function.getName()) != nullptr; }

Function& free_of_c(Function& function) {
  const Freeing* const outside = outside_named(function.getName());
  if (outside == nullptr) return function;
  FunctionCallee of_c = function.getParent()->getOrInsertFunction(outside->symbol, function.getFunctionType());
  return *cast<Function>(of_c.getCallee());
}

void restore_frees(Function& clone) {
  for (Instruction& instruction : instructions(clone)) {
    auto* const call = dyn_cast<CallBase>(&instruction);
    Function* const callee = call != nullptr ? call->getCalledFunction() : nullptr;
    if (callee != nullptr && is_free_outside(*callee)) call->setCalledFunction(&free_of_c(*callee));
  }
}

void mark_frees(Module& module) {
  for (const auto& [symbol, of_runtime] : freeing) {
    Function* const function = module.getFunction(symbol);
    const bool is_of_c = function != nullptr && function->isDeclaration() && !function->isVarArg();
    if (is_of_c && module.getNamedValue(of_runtime) == nullptr) mark(*function, of_runtime);
  }
}

void replace_marked_frees(Module& module) {
  for (const auto& [symbol, of_runtime] : freeing) {
    Function* const function = module.getFunction(symbol);
    Function* const replacement = module.getFunction(of_runtime);
    if (function == nullptr || replacement == nullptr) continue;
    SmallVector<CallBase*> calls;
    for (const Use& use : function->uses())
      if (auto* const call = dyn_cast<CallBase>(use.getUser()); call != nullptr && call->isCallee(&use))
        if (call->hasFnAttr(frees_marking) && !is_clone(*call->getFunction())) calls.push_back(call);
    for (CallBase* const call : calls) {
      call->setCalledFunction(replacement);
      call->removeFnAttr(frees_marking);
      call->removeFnAttr(Attribute::Builtin);
    }
  }
}

}  // namespace perdure::plugin
