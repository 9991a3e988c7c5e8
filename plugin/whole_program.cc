#include "whole_program.h"

#include <llvm/ADT/STLExtras.h>
#include <llvm/Analysis/TargetLibraryInfo.h>
#include <llvm/TargetParser/Triple.h>
#include <llvm/Transforms/Utils/ModuleUtils.h>

#include "address_taken.h"
#include "call_rules.h"
#include "clone_table.h"
#include "discover.h"
#include "flavours.h"
#include "markings.h"
#include "replacements.h"
#include "runtime_interface.h"

namespace perdure::plugin {

using namespace llvm;

namespace {

/// Takes the place of the declaration of a clone.
void provide(Function& awaited, Function& original, Discovery& discovery, Reporter& reporter) {
  switch (rule_for(original)) {
    case CallRule::has_body:
      discovery.clone_of_root(original);
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

}  // namespace

bool may_be_in_another_file(const Function& function) {
  LibFunc known;
  const TargetLibraryInfoImpl library(Triple(function.getParent()->getTargetTriple()));
  return !library.getLibFunc(function.getName(), known);
}

void offer_to_linker(Module& module) {
  for (Function& function : module)
    if (!function.isDeclaration() && !is_clone(function) && is_address_taken(function))
      function.addFnAttr(offered_marking);
}

void complete_program(Module& module, Reporter& reporter) {
  Discovery discovery(reporter);
  SmallVector<Function*> awaited;
  for (Function& function : module)
    if (function.isDeclaration() && function.hasFnAttribute(awaited_marking)) awaited.push_back(&function);
  for (Function* const clone : awaited)
    if (Function* const original = module.getFunction(original_symbol(clone->getName())))
      provide(*clone, *original, discovery, reporter);
  const bool has_clones = any_of(module, [](const Function& function) { return is_clone(function); });
  if (has_clones) offer_to_pointers(module, discovery, OfferedFunctions::marked);
}

}  // namespace perdure::plugin
