#include "discover/flavours.h"

#include <llvm/ADT/STLExtras.h>
#include <llvm/IR/GlobalAlias.h>
#include <llvm/IR/InstIterator.h>

#include "common/markings.h"
#include "common/runtime_interface.h"
#include "discover/clone.h"

namespace perdure::plugin {

using namespace llvm;

namespace {

constexpr StringLiteral module_flag = "perdure.write_only";
constexpr StringLiteral suffix = ".write_only";

std::string symbol_of_flavour(const GlobalValue& clone) { return (clone.getName() + suffix).str(); }

/// Not what was taken out of a clone (static_guards.h).
bool is_any_clone(const GlobalValue& value) {
  const auto* const function = dyn_cast<Function>(&value);
  const bool is_body = function != nullptr && !function->isDeclaration();
  return is_body ? is_clone(*function) : is_clone_symbol(value.getName());
}

bool has_one_flavour(const GlobalValue& clone) {
  return is_provided(original_symbol(clone.getName())) || is_entry_point(clone.getName());
}

Function& declare(Function& clone) {
  Function& flavour = *Function::Create(clone.getFunctionType(), GlobalValue::ExternalLinkage, clone.getAddressSpace(),
                                        symbol_of_flavour(clone), clone.getParent());
  if (clone.hasExternalWeakLinkage()) flavour.setLinkage(GlobalValue::ExternalWeakLinkage);
  flavour.copyAttributesFrom(&clone);
  flavour.setPersonalityFn(nullptr);
  flavour.removeFnAttr(clone_marking);
  flavour.removeFnAttr(awaited_marking);
  // The definition may be in a shared object, or be local.
  flavour.setVisibility(GlobalValue::DefaultVisibility);
  flavour.setDSOLocal(false);
  return flavour;
}

/// A write-only clone calls write-only ones.
void redirect_calls(Function& flavour) {
  for (Instruction& instruction : instructions(flavour))
    for (Use& operand : instruction.operands())
      if (auto* const clone = dyn_cast<GlobalValue>(operand.get()); clone != nullptr && is_any_clone(*clone))
        operand.set(&write_only_flavour(*clone));
}

}  // namespace

void ask_for_write_only(Module& module) {
  if (!is_asked_for_write_only(module)) module.addModuleFlag(Module::Max, module_flag, 1);
}

bool is_asked_for_write_only(const Module& module) { return module.getModuleFlag(module_flag) != nullptr; }

bool is_write_only(const Function& clone) { return clone.hasFnAttribute(write_only_marking); }

GlobalValue& write_only_flavour(GlobalValue& clone) {
  if (has_one_flavour(clone)) return clone;
  if (GlobalValue* const known = clone.getParent()->getNamedValue(symbol_of_flavour(clone))) return *known;
  return declare(*cast<Function>(clone.getAliaseeObject()));
}

Value* chosen_flavour(IRBuilder<>& builder, Constant& full, Constant& write_only) {
  EntryPoints entry_points(*builder.GetInsertBlock()->getModule());
  return builder.CreateCall(entry_points.choose_flavour(), {&full, &write_only});
}

void make_write_only_flavours(Module& module) {
  SmallVector<Function*> clones, flavours;
  for (Function& function : module)
    if (!function.isDeclaration() && is_plain_clone(function) && !has_one_flavour(function))
      clones.push_back(&function);
  for (Function* const clone : clones) {
    Function& flavour = copy_function(*clone, clone->getLinkage(), symbol_of_flavour(*clone));
    flavour.addFnAttr(write_only_marking);
    flavours.push_back(&flavour);
  }
  for (GlobalAlias& alias : make_early_inc_range(module.aliases()))
    if (const auto position = find(clones, alias.getAliaseeObject()); position != clones.end())
      make_alias(*flavours[position - clones.begin()], alias, symbol_of_flavour(alias));
  for (Function* const flavour : flavours) redirect_calls(*flavour);
}

}  // namespace perdure::plugin
