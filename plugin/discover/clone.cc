#include "discover/clone.h"

#include <llvm/ADT/SetVector.h>
#include <llvm/IR/Constants.h>
#include <llvm/IR/DebugInfoMetadata.h>
#include <llvm/IR/GlobalAlias.h>
#include <llvm/IR/GlobalVariable.h>
#include <llvm/IR/Module.h>
#include <llvm/Transforms/Utils/Cloning.h>
#include <llvm/Transforms/Utils/ValueMapper.h>

#include "common/markings.h"
#include "common/runtime_interface.h"

namespace perdure::plugin {

using namespace llvm;

namespace {

std::string symbol_of_clone(const Function& original, Flavour flavour) {
  const Attribute implements = original.getFnAttribute(implements_marking);
  if (flavour == Flavour::serial) return clone_symbol(original.getName()) + serial_suffix.str();
  return clone_symbol(implements.isValid() ? implements.getValueAsString() : original.getName());
}

GlobalValue::LinkageTypes linkage_of_clone(const Function& original) {
  if (original.hasFnAttribute(implements_marking)) return GlobalValue::ExternalLinkage;
  if (original.hasAvailableExternallyLinkage()) return GlobalValue::LinkOnceODRLinkage;
  return original.getLinkage();
}

/// What says how memory is obtained or released lets the optimiser drop pairs of calls; the clone's callers are not to.
void remove_allocation_attributes(Function& clone) {
  for (const auto kind : {Attribute::AllocKind, Attribute::AllocSize}) clone.removeFnAttr(kind);
  clone.removeFnAttr("alloc-family");
}

/// Vectors have no entry points: a vectorised loop would be taken apart again, through memory. The late phase removes
/// the attribute.
void forbid_vectors(Function& clone) {
  if (clone.hasFnAttribute(Attribute::NoImplicitFloat)) return;
  clone.addFnAttr(Attribute::NoImplicitFloat);
  clone.addFnAttr(scalar_marking);
}

void put_in_comdat(Function& clone, const Function& original) {
  clone.setComdat(nullptr);
  const bool was_available_externally = original.hasAvailableExternallyLinkage();
  if (!original.hasComdat() && !was_available_externally) return;
  if (clone.hasLocalLinkage() || clone.hasFnAttribute(implements_marking)) return;
  Comdat* const comdat = clone.getParent()->getOrInsertComdat(clone.getName());
  comdat->setSelectionKind(was_available_externally ? Comdat::Any : original.getComdat()->getSelectionKind());
  clone.setComdat(comdat);
}

void take_place_of(GlobalValue& declaration, GlobalValue& value) {
  declaration.replaceAllUsesWith(&value);
  value.takeName(&declaration);
  declaration.eraseFromParent();
}

/// Takes the place of a declaration that calls made earlier refer to. A clone of another file's function that has the
/// same name keeps that, and this one gets a new one.
void take_symbol(Function& clone, StringRef symbol) {
  if (Function* const declaration = clone.getParent()->getFunction(symbol);
      declaration != nullptr && !declaration->hasLocalLinkage())
    take_place_of(*declaration, clone);
  else
    clone.setName(symbol);
}

/// The variables whose initial values hold this constant.
void find_tables(Constant& constant, SmallSetVector<GlobalVariable*, 4>& tables) {
  for (User* const user : constant.users()) {
    if (auto* const table = dyn_cast<GlobalVariable>(user))
      tables.insert(table);
    else if (auto* const larger = dyn_cast<Constant>(user); larger != nullptr && !isa<GlobalValue>(larger))
      find_tables(*larger, tables);
  }
}

/// Tables of labels, for `goto *table[i]`: the clone jumps to labels of its own. (What is in no table, `copies` has.)
void copy_tables_of_labels(Function& clone, Function& original, ValueToValueMapTy& copies) {
  SmallSetVector<GlobalVariable*, 4> tables;
  for (BasicBlock& block : original)
    if (block.hasAddressTaken()) find_tables(*BlockAddress::get(&original, &block), tables);
  if (tables.empty()) return;
  // A map of its own: `copies` has expressions that lead into a table, each as its own copy.
  ValueToValueMapTy table_copies;
  for (GlobalVariable* const table : tables) {
    auto* const copy = new GlobalVariable(*original.getParent(), table->getValueType(), table->isConstant(),
                                          GlobalValue::InternalLinkage, MapValue(table->getInitializer(), copies),
                                          table->getName(), table);
    copy->copyAttributesFrom(table);
    copy->setComdat(nullptr);
    table_copies[table] = copy;
  }
  RemapFunction(clone, table_copies, RF_IgnoreMissingLocals | RF_NoModuleLevelChanges);
}

void copy_body(Function& clone, Function& original) {
  ValueToValueMapTy copies;
  for (auto [from, to] : zip(original.args(), clone.args())) {
    to.setName(from.getName());
    copies[&from] = &to;
  }
  SmallVector<ReturnInst*, 8> returns;
  CloneFunctionInto(&clone, &original, copies, CloneFunctionChangeType::LocalChangesOnly, returns);
  copy_tables_of_labels(clone, original, copies);
}

}  // namespace

Function& copy_function(Function& original, GlobalValue::LinkageTypes linkage, StringRef symbol) {
  Module& module = *original.getParent();
  Function& copy = *Function::Create(original.getFunctionType(), linkage, original.getAddressSpace(), "", &module);
  take_symbol(copy, symbol);
  copy_body(copy, original);
  put_in_comdat(copy, original);
  if (copy.hasFnAttribute(implements_marking)) {
    copy.setVisibility(GlobalValue::DefaultVisibility);
    copy.setDSOLocal(false);
  }
  if (DISubprogram* const subprogram = copy.getSubprogram())
    subprogram->replaceLinkageName(MDString::get(module.getContext(), copy.getName()));
  return copy;
}

Flavour flavour_of(const Function& clone) {
  return clone.hasFnAttribute(serial_clone_marking) ? Flavour::serial : Flavour::ordinary;
}

Function& make_clone(Function& original, Flavour flavour) {
  Function& clone = copy_function(original, linkage_of_clone(original), symbol_of_clone(original, flavour));
  if (flavour == Flavour::serial) clone.addFnAttr(serial_clone_marking);
  remove_allocation_attributes(clone);
  // Locals lie on the stack, where the runtime sees that they die with the transaction.
  clone.removeFnAttr(Attribute::SafeStack);
  forbid_vectors(clone);
  clone.addFnAttr(clone_marking, plain_stage);
  return clone;
}

bool may_share_names(const Function& original, const Function& clone) {
  const bool is_of_one_file = original.getFnAttribute(file_marking) == clone.getFnAttribute(file_marking);
  return !original.hasLocalLinkage() || is_of_one_file;
}

Function* find_clone(const Function& original, Flavour flavour) {
  Function* const clone = original.getParent()->getFunction(symbol_of_clone(original, flavour));
  const bool is_clone_here = clone != nullptr && !clone->isDeclaration() && is_clone(*clone);
  return is_clone_here && may_share_names(original, *clone) ? clone : nullptr;
}

Function& declare_clone(const Function& original, Flavour flavour) {
  Module& module = *const_cast<Module*>(original.getParent());
  const std::string symbol = symbol_of_clone(original, flavour);
  GlobalValue* const known = module.getNamedValue(symbol);
  if (known != nullptr)
    if (auto* const function = dyn_cast<Function>(known->stripPointerCastsAndAliases())) return *function;
  // The original may have a body here where the clone is in a library.
  const auto linkage = original.isDeclaration() ? original.getLinkage() : GlobalValue::ExternalLinkage;
  Function& clone = *Function::Create(original.getFunctionType(), linkage, original.getAddressSpace(), symbol, &module);
  // In the linker: what the list of entry points (libs/entry/whole_program.cc) knows by name only is declared as data.
  if (known != nullptr) take_place_of(*known, clone);
  clone.copyAttributesFrom(&original);
  clone.setPersonalityFn(nullptr);
  if (!original.isDeclaration()) clone.setDSOLocal(false);
  remove_allocation_attributes(clone);
  // Locals lie on the stack, where the runtime sees that they die with the transaction.
  clone.removeFnAttr(Attribute::SafeStack);
  return clone;
}

void make_alias_of_clone(Function& clone, const GlobalAlias& alias) {
  const StringRef suffix = flavour_of(clone) == Flavour::serial ? StringRef(serial_suffix) : StringRef();
  make_alias(clone, alias, clone_symbol((alias.getName() + suffix).str()));
}

void make_alias(Function& function, const GlobalAlias& alias, StringRef symbol) {
  Module& module = *function.getParent();
  GlobalValue* const known = module.getNamedValue(symbol);
  if (known != nullptr && !known->isDeclaration()) return;
  GlobalAlias* const result =
      GlobalAlias::create(alias.getValueType(), alias.getAddressSpace(), alias.getLinkage(), "", &function, &module);
  result->setVisibility(alias.getVisibility());
  result->setDSOLocal(alias.isDSOLocal());
  if (known != nullptr)
    take_place_of(*known, *result);
  else
    result->setName(symbol);
}

}  // namespace perdure::plugin
