#include "discover/clone_table.h"

#include <llvm/ADT/SmallVector.h>
#include <llvm/IR/Constants.h>
#include <llvm/IR/IRBuilder.h>

#include <optional>
#include <string>

#include "common/markings.h"
#include "common/runtime_interface.h"
#include "discover/address_taken.h"
#include "discover/call_rules.h"
#include "discover/clone.h"
#include "discover/cloneability.h"
#include "discover/discover.h"
#include "discover/flavours.h"
#include "discover/frees.h"
#include "discover/private_calls.h"
#include "discover/registration.h"
#include "discover/replacements.h"

namespace perdure::plugin {

using namespace llvm;

namespace {

struct Row {
  Function* function;
  Constant* clone;
  std::string refusal;
};

/// \returns nothing for functions that this file knows nothing about; another one may.
std::optional<Row> row_for(Function& function, Discovery& discovery, Cloneability& cloneability) {
  switch (rule_for(function)) {
    case CallRule::replaced:
      if (auto row = row_for(replacement_of(function), discovery, cloneability))
        return Row{&function, row->clone, row->refusal};
      return std::nullopt;
    case CallRule::stays:
      return Row{&function, &function, {}};
    case CallRule::provided:
    case CallRule::defined_elsewhere:
      return Row{&function, &declare_clone(free_of_c(function)), {}};
    case CallRule::privately:
      return Row{&function, &private_wrapper(function), {}};
    case CallRule::forbidden:
      return Row{&function, nullptr, "it is marked [[perdure::unsafe]]"};
    case CallRule::serial_only:
      return Row{&function, nullptr,
                 "it is marked [[perdure::serial]]: call it in TM_SERIAL … TM_END, or behind perdure::become_serial()"};
    case CallRule::has_body:
      if (const auto refusal = cloneability.refusal_of(function)) return Row{&function, nullptr, *refusal};
      return Row{&function, &discovery.clone_of_root(function), {}};
    default:
      return std::nullopt;
  }
}

bool is_known(const Function& function) {
  const CallRule rule = rule_for(function);
  return rule == CallRule::provided || (rule == CallRule::stays && function.isDeclaration());
}

bool is_offered(const Function& function, OfferedFunctions which) {
  if (function.isIntrinsic() || is_clone(function) || is_clone_symbol(function.getName())) return false;
  if (which == OfferedFunctions::marked) {
    // A file without transactions has not said what it knows of the libraries' functions, such as malloc.
    const bool is_offered_here = !function.isDeclaration() && function.hasFnAttribute(offered_marking);
    return (is_offered_here || is_known(function)) && is_address_taken(function);
  }
  const bool is_safe_here = function.hasFnAttribute(safe_marking) && !function.isDeclaration();
  return is_safe_here || is_address_taken(function);
}

Constant* text_of(const std::string& text, Module& module) {
  if (text.empty()) return ConstantPointerNull::get(PointerType::getUnqual(module.getContext()));
  Constant* const characters = ConstantDataArray::getString(module.getContext(), text);
  auto* const variable = new GlobalVariable(module, characters->getType(), /*isConstant=*/true,
                                            GlobalValue::PrivateLinkage, characters, "perdure.refusal");
  variable->setUnnamedAddr(GlobalValue::UnnamedAddr::Global);
  return variable;
}

GlobalVariable& emit_rows(Module& module, ArrayRef<Row> rows, StringRef name) {
  auto* const pointer = PointerType::getUnqual(module.getContext());
  auto* const row_type = StructType::get(pointer, pointer, pointer);
  SmallVector<Constant*> contents;
  for (const Row& row : rows) {
    Constant* const clone = row.clone != nullptr ? row.clone : ConstantPointerNull::get(pointer);
    contents.push_back(ConstantStruct::get(row_type, row.function, clone, text_of(row.refusal, module)));
  }
  auto* const type = ArrayType::get(row_type, contents.size());
  return *new GlobalVariable(module, type, /*isConstant=*/true, GlobalValue::InternalLinkage,
                             ConstantArray::get(type, contents), name);
}

/// The same rows with the write-only flavours of the clones; null if the module is not asked for them.
GlobalVariable* emit_write_only_rows(Module& module, SmallVector<Row> rows, StringRef name) {
  if (!is_asked_for_write_only(module)) return nullptr;
  for (Row& row : rows) {
    auto* const clone = dyn_cast_or_null<GlobalValue>(row.clone);
    if (clone != nullptr && clone != row.function) row.clone = &write_only_flavour(*clone);
  }
  return &emit_rows(module, rows, name);
}

/// In serial transactions, for those that others cannot call.
SmallVector<Row> serial_rows(ArrayRef<Row> rows, Discovery& discovery) {
  SmallVector<Row> result;
  Cloneability cloneability(Flavour::serial);
  for (const Row& row : rows)
    if (row.clone == nullptr && !row.function->isDeclaration() && !row.function->hasFnAttribute(unsafe_marking) &&
        !cloneability.refusal_of(*row.function))
      result.push_back({row.function, &discovery.clone_of_root(*row.function, Flavour::serial), {}});
  return result;
}

struct Tables {
  GlobalVariable* rows;
  GlobalVariable* write_only;  // null: there is one flavour
  std::size_t count;
};

/// A function that calls `callee(rows, count)`.
Function& make_caller(FunctionCallee callee, const Twine& name, const Tables& tables) {
  Function& caller = make_registration(*tables.rows->getParent(), name);
  IRBuilder<> builder(&caller.getEntryBlock());
  Value* const rows =
      tables.write_only != nullptr ? chosen_flavour(builder, *tables.rows, *tables.write_only) : tables.rows;
  builder.CreateCall(callee, {rows, builder.getInt64(tables.count)});
  builder.CreateRetVoid();
  return caller;
}

/// Registers them when the file is loaded. \param add, remove  give the functions that do it.
template <class Add, class Remove>
void register_rows(Module& module, ArrayRef<Row> rows, Add add, Remove remove, const Twine& name) {
  if (rows.empty()) return;
  const std::string table = ("perdure." + name).str();
  const Tables tables = {&emit_rows(module, rows, table),
                         emit_write_only_rows(module, SmallVector<Row>(rows), ("perdure.write_only_" + name).str()),
                         rows.size()};
  call_at_load(make_caller(add(), "perdure.add_" + name, tables));
  if (may_be_unloaded(module)) call_at_unload(make_caller(remove(), "perdure.remove_" + name, tables));
}

}  // namespace

void offer_to_pointers(Module& module, Discovery& discovery, OfferedFunctions which) {
  SmallVector<Function*> offered;
  for (Function& function : module)
    if (is_offered(function, which)) offered.push_back(&function);
  Cloneability cloneability(Flavour::ordinary);
  SmallVector<Row> rows;
  for (Function* const function : offered)
    if (auto row = row_for(*function, discovery, cloneability)) rows.push_back(std::move(*row));
  EntryPoints entry_points(module);
  register_rows(
      module, rows, [&] { return entry_points.add_clones(); }, [&] { return entry_points.remove_clones(); }, "clones");
  if (!discovery.has_serial_parts()) return;
  register_rows(
      module, serial_rows(rows, discovery), [&] { return entry_points.add_serial_clones(); },
      [&] { return entry_points.remove_serial_clones(); }, "serial_clones");
}

}  // namespace perdure::plugin
