#include "discover/whole_program.h"

#include <llvm/ADT/STLExtras.h>
#include <llvm/Analysis/TargetLibraryInfo.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/InstrTypes.h>
#include <llvm/IR/ValueHandle.h>
#include <llvm/TargetParser/Triple.h>
#include <llvm/Transforms/Utils/ModuleUtils.h>

#include "common/library_functions.h"
#include "common/markings.h"
#include "common/runtime_interface.h"
#include "discover/address_taken.h"
#include "discover/call_rules.h"
#include "discover/clone.h"
#include "discover/clone_table.h"
#include "discover/code_rows.h"
#include "discover/discover.h"
#include "discover/flavours.h"
#include "discover/merged_guards.h"
#include "discover/private_classes.h"
#include "discover/replacements.h"
#include "discover/serial_parts.h"

namespace perdure::plugin {

using namespace llvm;

namespace {

/// Where another file has made the awaited name an alias, as compilers do for constructors and destructors, the clone
/// has the name of what that leads to.
void provide_clone(Function& awaited, Function& original, Discovery& discovery) {
  const Flavour flavour = flavour_of(awaited);
  const bool has_other_name = original_symbol(awaited.getName()) != original.getName();
  const std::string caller = awaited.getFnAttribute(awaited_marking).getValueAsString().str();
  // It takes the place of a declaration of its name.
  Function& clone = caller.empty() ? discovery.clone_of_root(original, flavour)
                                   : discovery.clone_for_caller(original, flavour, caller);
  if (!has_other_name) return;
  if (is_asked_for_write_only(*original.getParent()))
    write_only_flavour(awaited).replaceAllUsesWith(&write_only_flavour(clone));
  awaited.replaceAllUsesWith(&clone);
}

/// The function itself, where the program has no body of it, or one of a file that the plugin has not seen.
void provide_serial(Function& awaited, Function& original, Discovery& discovery) {
  if (!original.isDeclaration() && !is_from_file_without_plugin(original))
    return provide_clone(awaited, original, discovery);
  for (User* const user : awaited.users())
    if (auto* const call = dyn_cast<CallBase>(user)) call_as_it_is(*call);
  awaited.replaceAllUsesWith(&original);
}

/// Takes the place of the declaration of a clone.
void provide(Function& awaited, Function& original, Discovery& discovery, Reporter& reporter) {
  if (flavour_of(awaited) == Flavour::serial) return provide_serial(awaited, original, discovery);
  switch (rule_for(original)) {
    case CallRule::has_body:
      provide_clone(awaited, original, discovery);
      break;
    case CallRule::provided:
      break;
    case CallRule::stays:
      if (is_asked_for_write_only(*original.getParent())) write_only_flavour(awaited).replaceAllUsesWith(&original);
      awaited.replaceAllUsesWith(&original);
      break;
    case CallRule::replaced:
      provide(awaited, replacement_of(original), discovery, reporter);
      break;
    case CallRule::forbidden:
      reporter.error(
          {{}, "call to '" + source_name(original) + "' in a transaction, but it is marked [[perdure::unsafe]]"},
          {{{}, "called from " + awaited.getFnAttribute(awaited_marking).getValueAsString().str()}});
      break;
    case CallRule::unknown:
      if (const StringRef reason = reason_to_refuse(original.getName()); !reason.empty()) {
        reporter.error({{}, "call to '" + source_name(original) + "' in a transaction cannot be made transactional"},
                       {{{}, "called from " + awaited.getFnAttribute(awaited_marking).getValueAsString().str()},
                        {{}, reason.str()}});
        break;
      }
      [[fallthrough]];
    default:
      reporter.warning(
          {{},
           "call to '" + source_name(original) +
               "' in a transaction: no file of the program that the linker can optimise defines it"},
          {{{}, "called from " + awaited.getFnAttribute(awaited_marking).getValueAsString().str()},
           {{},
            "compile the file that defines it with the plugin and -flto, or declare it [[perdure::safe]] or "
            "[[perdure::pure]]; otherwise its clone is an undefined symbol"}});
  }
}

/// Null if nothing awaits the clone. A file that declares a function safe awaits its clone without a mark: that of the
/// file that defines it, which need not see the same declaration.
Function* original_of_awaited(Function& clone) {
  if (!clone.isDeclaration() || !is_clone_symbol(clone.getName())) return nullptr;
  GlobalValue* const named = clone.getParent()->getNamedValue(original_symbol(clone.getName()));
  auto* const original = named != nullptr ? dyn_cast<Function>(named->stripPointerCastsAndAliases()) : nullptr;
  if (original == nullptr) return nullptr;
  const bool is_defined_here = !original->isDeclaration() && original->hasFnAttribute(offered_marking);
  return is_defined_here || clone.hasFnAttribute(awaited_marking) ? original : nullptr;
}

bool calls_through_pointers(const Function& function) {
  return any_of(instructions(function), [](const Instruction& instruction) {
    const auto* const call = dyn_cast<CallBase>(&instruction);
    return call != nullptr && call->isIndirectCall();
  });
}

/// In clones that the linker makes the runtime's takes its place, or it is called as it is, as long as it is called.
/// Inlined, a virtual function of a stream would be called like one of the program.
bool must_be_seen_in_linker(const Function& function) {
  if (function.hasFnAttribute(Attribute::AlwaysInline)) return false;
  if (function.hasLinkOnceLinkage() && is_provided(function.getName())) return true;
  return is_called_privately(function) && calls_through_pointers(function);
}

}  // namespace

bool may_be_in_another_file(const Function& function) {
  LibFunc known;
  const TargetLibraryInfoImpl library(Triple(function.getParent()->getTargetTriple()));
  return !library.getLibFunc(function.getName(), known);
}

void offer_to_linker(Module& module) {
  const std::string file = module.getSourceFileName() + getUniqueModuleId(&module);
  for (Function& function : module) {
    if (function.hasLocalLinkage()) function.addFnAttr(file_marking, file);
    if (function.isDeclaration() || is_clone(function)) continue;
    function.addFnAttr(offered_marking);
    if (must_be_seen_in_linker(function)) function.addFnAttr(Attribute::NoInline);
  }
}

bool is_from_file_without_plugin(const Function& function) {
  // Of what may be in a group, all files that use it have one.
  return !function.isDeclaration() && !function.hasComdat() && !function.hasFnAttribute(offered_marking) &&
         !is_clone(function);
}

void keep_entry_points(Module& module) {
  auto* const entry_points = module.getOrInsertGlobal(whole_program_symbol, Type::getInt8Ty(module.getContext()));
  appendToCompilerUsed(module, {cast<GlobalValue>(entry_points)});
}

void release_entry_points(Module& module) {
  removeFromUsedLists(module, [](const Constant* used) { return used->getName() == whole_program_symbol; });
}

void complete_program(Module& module, Reporter& reporter) {
  separate_merged_guards(module);
  Discovery discovery(reporter, Files::all);
  // What provides one may provide others, too: an alias, and what that leads to.
  SmallVector<std::pair<WeakTrackingVH, Function*>> awaited;
  for (Function& clone : module)
    if (Function* const original = original_of_awaited(clone)) awaited.emplace_back(&clone, original);
  for (const auto& [value, original] : awaited)
    if (auto* const clone = dyn_cast_or_null<Function>(value); clone != nullptr && clone->isDeclaration())
      provide(*clone, *original, discovery, reporter);
  if (!has_clones(module)) return;
  offer_code(module, Files::all);
  offer_to_pointers(module, discovery, OfferedFunctions::marked);
  translate_passed_code(module, code_holders_of(module).get());
}

}  // namespace perdure::plugin
