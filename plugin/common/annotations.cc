#include "common/annotations.h"

#include <llvm/ADT/STLExtras.h>
#include <llvm/ADT/SmallVector.h>
#include <llvm/IR/Constants.h>
#include <llvm/IR/Function.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/InstrTypes.h>

#include "common/markings.h"
#include "discover/call_rules.h"

namespace perdure::plugin {

using namespace llvm;

namespace {

constexpr StringLiteral annotations_variable = "llvm.global.annotations";

StringRef text_of(const ConstantStruct& entry) {
  const auto* const variable = dyn_cast<GlobalVariable>(entry.getOperand(1)->stripPointerCasts());
  if (variable == nullptr || !variable->hasInitializer()) return {};
  const auto* const text = dyn_cast<ConstantDataSequential>(variable->getInitializer());
  return text != nullptr && text->isCString() ? text->getAsCString() : StringRef();
}

/// The function that an entry is about; an alias stands for what it names.
Function* subject_of(const ConstantStruct& entry) {
  auto* const value = dyn_cast<GlobalValue>(entry.getOperand(0)->stripPointerCastsAndAliases());
  return dyn_cast_or_null<Function>(value);
}

/// \returns whether the entry is one of ours.
bool mark(const ConstantStruct& entry) {
  StringRef text = text_of(entry);
  if (!text.consume_front(annotation_prefix)) return false;
  const auto [name, argument] = text.split('=');
  if (Function* const function = subject_of(entry)) function->addFnAttr(("perdure-" + name).str(), argument);
  return true;
}

void replace_annotations(GlobalVariable& old_variable, ArrayRef<Constant*> entries) {
  Module& module = *old_variable.getParent();
  if (!entries.empty()) {
    auto* const type = ArrayType::get(entries.front()->getType(), entries.size());
    auto* const variable = new GlobalVariable(module, type, old_variable.isConstant(), old_variable.getLinkage(),
                                              ConstantArray::get(type, entries));
    variable->copyAttributesFrom(&old_variable);
    variable->takeName(&old_variable);
  }
  old_variable.eraseFromParent();
}

/// A thunk adjusts `this` and calls the virtual function itself; in tables it stands for it.
bool is_thunk(const Function& function) {
  const StringRef symbol = function.getName();
  return symbol.starts_with("_ZTh") || symbol.starts_with("_ZTv") || symbol.starts_with("_ZTc");
}

bool calls_safe_function(const Function& function) {
  return any_of(instructions(function), [](const Instruction& instruction) {
    const auto* const call = dyn_cast<CallBase>(&instruction);
    const Function* const callee = call != nullptr ? callee_of(*call) : nullptr;
    return callee != nullptr && callee->hasFnAttribute(safe_marking);
  });
}

}  // namespace

void mark_thunks(Module& module) {
  for (Function& function : module)
    if (is_thunk(function) && calls_safe_function(function)) function.addFnAttr(safe_marking);
}

void move_annotations_to_functions(Module& module) {
  GlobalVariable* const variable = module.getGlobalVariable(annotations_variable);
  if (variable == nullptr || !variable->hasInitializer()) return;
  auto* const entries = dyn_cast<ConstantArray>(variable->getInitializer());
  if (entries == nullptr) return;
  SmallVector<Constant*> others;
  for (const Use& entry : entries->operands())
    if (!mark(*cast<ConstantStruct>(entry))) others.push_back(cast<Constant>(entry));
  if (others.size() < entries->getNumOperands()) replace_annotations(*variable, others);
}

}  // namespace perdure::plugin
