// Registration of the passes, for all programs that load the plugin: clang by way of front_end.cc, opt and linkers by
// llvmGetPassPluginInfo.
#include <llvm/ADT/STLExtras.h>
#include <llvm/IR/DebugInfo.h>
#include <llvm/IR/GlobalAlias.h>

#include "common/annotations.h"
#include "common/llvm_compat.h"
#include "common/markings.h"
#include "common/passes.h"
#include "common/runtime_interface.h"
#include "discover/boundary.h"
#include "discover/clone.h"
#include "discover/clone_table.h"
#include "discover/code_rows.h"
#include "discover/coroutines.h"
#include "discover/discover.h"
#include "discover/flavours.h"
#include "discover/frees.h"
#include "discover/merged_guards.h"
#include "discover/own_operators.h"
#include "discover/program_constants.h"
#include "discover/replacements.h"
#include "discover/serial_parts.h"
#include "discover/single_calls.h"
#include "discover/whole_program.h"
#include "elide/elisions.h"
#include "elide/private_locals.h"
#include "instrument/checks.h"
#include "instrument/instrument.h"
#include "layouts/block_layouts.h"
#include "layouts/code_comparisons.h"
#include "layouts/persistable.h"
#include "layouts/self_relative.h"
#include "portable/operations.h"
#include "portable/portability_report.h"

namespace perdure::plugin {

using namespace llvm;

namespace {

/// Functions whose clones other files call, whether this one does or not. Their aliases (complete constructors that are
/// the same as the base ones) are called as well.
void clone_offered(Module& module, Discovery& discovery) {
  SmallVector<Function*> offered;
  for (Function& function : module)
    if (is_offered_to_others(function)) offered.push_back(&function);
  const auto clone_of = [&](Function& function) -> Function& {
    const bool is_serial = function.hasFnAttribute(serial_marking);
    return discovery.clone_of_root(function, is_serial ? Flavour::serial : Flavour::ordinary);
  };
  for (Function* const function : offered) clone_of(*function);
  for (GlobalAlias& alias : make_early_inc_range(module.aliases())) {
    auto* const function = dyn_cast<Function>(alias.getAliaseeObject());
    if (function != nullptr && is_contained(offered, function)) make_alias_of_clone(clone_of(*function), alias);
  }
}

bool may_allocate_in_pools(const Module& module, const Discovery& discovery) {
  return discovery.has_made_clones() || module.getFunction(allocate_in_symbol) != nullptr;
}

void refuse_distances(Reporter& reporter, StringRef what) {
  reporter.error({{}, (what + ": leave out -fplugin-arg-perdure-self-relative").str()}, {});
}

void judge_blocks(Module& module, const InstrumentPass& pass, AccessReport& report) {
  const bool is_asked_for = is_asked_for_portable(module);
  if (!is_asked_for && !pass.warns_of_blocks && pass.report_path.empty()) return;
  const std::vector<Operation> operations = find_operations(module);
  report.add_blocks(report_of(operations));
  remark_on(operations);
  if (pass.warns_of_blocks) warn_of(operations, *pass.reporter);
  // A checked build runs them by way of entry points of its own.
  if (is_asked_for && !pass.is_checked) announce_operations(operations);
}

}  // namespace

PreservedAnalyses ClonePass::run(Module& module, ModuleAnalysisManager& analyses) {
  move_annotations_to_functions(module);
  const Coroutines coroutines = awaits_link ? Coroutines::all : Coroutines::in_transactions;
  if (split_coroutines(module, analyses, coroutines, optimizes) && has_self_relative_pointers)
    refuse_distances(*reporter, "coroutines in transactions have native pointers");
  mark_thunks(module);
  separate_merged_guards(module);
  if (function_tables != nullptr) mark_function_tables(module, *function_tables);
  if (has_write_only_flavour) ask_for_write_only(module);
  if (has_serial_calls) ask_for_serial_calls(module);
  if (has_portable_blocks) ask_for_portable(module);
  mark_replaced(module, *replacements);
  mark_frees(module);
  hand_over_operators(module);
  const Files files = awaits_thin_link ? Files::one_for_thin_linker : Files::one;
  Discovery discovery(*reporter, awaits_link ? Files::one_for_linker : files);
  replace_bodies(module, discovery, *reporter);
  clone_offered(module, discovery);
  const bool makes_persistable = has_persistable_objects || calls_persist(module);
  if (makes_persistable && has_self_relative_pointers)
    refuse_distances(*reporter, "perdure::persist follows native pointers");
  if (discovery.has_made_clones() || makes_persistable)
    offer_code(module, Files::one);
  else
    offer_constants(module);
  if (awaits_link) name_code(module, code_holders.get());
  if (discovery.has_made_clones()) offer_to_pointers(module, discovery, OfferedFunctions::whose_address_is_taken);
  if (discovery.has_made_clones()) translate_passed_code(module, code_holders.get());
  if (awaits_link) offer_to_linker(module);
  if (awaits_link && discovery.has_made_clones()) keep_entry_points(module);
  const bool marks_all = awaits_link || makes_persistable;
  if (allocated_types != nullptr && (marks_all || may_allocate_in_pools(module, discovery)))
    mark_block_layouts(module, *allocated_types, marks_all ? MarkedFunctions::all : MarkedFunctions::clones);
  if (makes_persistable) mark_persistable(module);
  inline_single_calls(module);
  reporter->finish(module.getContext());
  return PreservedAnalyses::none();
}

PreservedAnalyses SelfRelativePass::run(Module& module, ModuleAnalysisManager&) {
  make_pointers_self_relative(module);
  return PreservedAnalyses::none();
}

PreservedAnalyses InstrumentPass::run(Module& module, ModuleAnalysisManager& analyses) {
  if (!reporter->has_errors()) {
    if (is_enabled(private_local)) mark_private_locals(module);
    AccessReport report(report_path);
    judge_blocks(module, *this, report);
    if (is_asked_for_write_only(module)) make_write_only_flavours(module);
    Checks checks(module);
    instrument_clones(module, analyses.getResult<FunctionAnalysisManagerModuleProxy>(module).getManager(), *reporter,
                      report, is_checked ? &checks : nullptr);
    if (is_checked) checks.check_outside_of_transactions();
    if (!is_in_linker && has_clones(module)) compare_outside_of_transactions(module);
    tell_block_layouts_outside(module);
    replace_marked_frees(module);
    replace_persistable(module);
    report.finish(*reporter);
    reporter->finish(module.getContext());
  }
  if (strips_locations) StripDebugInfo(module);
  return PreservedAnalyses::none();
}

PreservedAnalyses CompleteProgramPass::run(Module& module, ModuleAnalysisManager& analyses) {
  complete_program(module, *reporter);
  reporter->finish(module.getContext());
  InstrumentPass late;
  late.reporter = reporter;
  late.is_in_linker = true;
  late.run(module, analyses);
  release_entry_points(module);
  return PreservedAnalyses::none();
}

void register_passes(PassBuilder& builder, const ClonePass& early, const InstrumentPass& late) {
  builder.registerPipelineStartEPCallback([early](ModulePassManager& passes, OptimizationLevel level) {
    if (early.has_self_relative_pointers) passes.addPass(SelfRelativePass());
    ClonePass pass = early;
    pass.optimizes = level != OptimizationLevel::O0;
    passes.addPass(std::move(pass));
  });
  compat::at_optimizer_last(builder, [late](ModulePassManager& passes) { passes.addPass(InstrumentPass(late)); });
  CompleteProgramPass at_link;
  at_link.reporter = early.reporter;
  builder.registerFullLinkTimeOptimizationEarlyEPCallback(
      [at_link](ModulePassManager& passes, OptimizationLevel) { passes.addPass(CompleteProgramPass(at_link)); });
  builder.registerPipelineParsingCallback(
      [early, late](StringRef name, ModulePassManager& passes, ArrayRef<PassBuilder::PipelineElement>) {
        if (name == "perdure-self-relative") {
          passes.addPass(SelfRelativePass());
          return true;
        }
        if (name == "perdure-clone" || name == "perdure-clone-portable") {
          ClonePass named = early;
          named.has_portable_blocks = name != "perdure-clone";
          passes.addPass(std::move(named));
          return true;
        }
        if (name == "perdure-instrument" || name == "perdure-instrument-checked") {
          InstrumentPass named = late;
          named.is_checked = name != "perdure-instrument";
          passes.addPass(std::move(named));
          return true;
        }
        return false;
      });
}

}  // namespace perdure::plugin

extern "C" [[gnu::visibility("default")]] llvm::PassPluginLibraryInfo llvmGetPassPluginInfo() {
  return {LLVM_PLUGIN_API_VERSION, "Perdure", LLVM_VERSION_STRING, [](llvm::PassBuilder& builder) {
            const auto reporter = std::make_shared<perdure::plugin::StandardErrorReporter>();
            perdure::plugin::ClonePass early;
            early.reporter = reporter;
            perdure::plugin::InstrumentPass late;
            late.reporter = reporter;
            perdure::plugin::register_passes(builder, early, late);
          }};
}
