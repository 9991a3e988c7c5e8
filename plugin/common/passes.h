#ifndef PERDURE_PLUGIN_COMMON_PASSES_H
#define PERDURE_PLUGIN_COMMON_PASSES_H

#include <llvm/ADT/StringSet.h>
#include <llvm/IR/PassManager.h>
#include <llvm/Passes/PassBuilder.h>

#include <memory>
#include <string>

#include "common/diagnose.h"
#include "discover/replacements.h"
#include "layouts/block_layouts.h"
#include "layouts/code_addresses.h"

namespace perdure::plugin {

/// Early phase: makes the clones of everything that transactions reach.
struct ClonePass : llvm::PassInfoMixin<ClonePass> {
  std::shared_ptr<Reporter> reporter;
  std::shared_ptr<const Replacements> replacements = std::make_shared<Replacements>();
  std::shared_ptr<AllocatedTypes> allocated_types;           ///< null: not known
  std::shared_ptr<const CodeHolders> code_holders;           ///< null: not known
  std::shared_ptr<const llvm::StringSet<>> function_tables;  ///< symbols (front_end/function_tables.h); null: not known
  bool awaits_link = false;       ///< clones of functions that are not known are left to the linker (whole_program.h)
  bool awaits_thin_link = false;  ///< the linker will see one file at a time
  bool has_self_relative_pointers = false;  ///< self_relative.h
  bool has_write_only_flavour = false;      ///< clones come in both flavours (flavours.h)
  bool has_portable_blocks = false;         ///< the runtime is told of portable blocks (portable/operations.h)
  bool has_persistable_objects = false;     ///< of `new` outside of transactions (layouts/persistable.h)
  bool optimizes = false;                   ///< the pipeline does
  bool has_serial_calls = false;  ///< what ordinary transactions cannot call makes them serial (serial_parts.h)

  llvm::PreservedAnalyses run(llvm::Module& module, llvm::ModuleAnalysisManager& analyses);
  static bool isRequired() { return true; }
};

/// Before the early phase, where it is asked for: pointers in pools become self-relative.
struct SelfRelativePass : llvm::PassInfoMixin<SelfRelativePass> {
  llvm::PreservedAnalyses run(llvm::Module& module, llvm::ModuleAnalysisManager&);
  static bool isRequired() { return true; }
};

/// Late phase: replaces the accesses that are left in clones.
struct InstrumentPass : llvm::PassInfoMixin<InstrumentPass> {
  std::shared_ptr<Reporter> reporter;
  std::string report_path;        ///< of the report of accesses; empty: none is written
  bool warns_of_blocks = false;   ///< that are not portable (portable/operations.h)
  bool is_checked = false;        ///< mistakes with pools are looked for when the program runs (checks.h)
  bool is_in_linker = false;      ///< files have done their part: what is left are clones that the linker made
  bool strips_locations = false;  ///< the module has source locations only for our own error messages

  llvm::PreservedAnalyses run(llvm::Module& module, llvm::ModuleAnalysisManager&);
  static bool isRequired() { return true; }
};

/// In the linker: both phases for what files have left to it.
struct CompleteProgramPass : llvm::PassInfoMixin<CompleteProgramPass> {
  std::shared_ptr<Reporter> reporter;

  llvm::PreservedAnalyses run(llvm::Module& module, llvm::ModuleAnalysisManager&);
  static bool isRequired() { return true; }
};

/// Adds both phases to the pipelines that the builder makes, and gives them names for opt: `perdure-self-relative`,
/// `perdure-clone`, `perdure-clone-portable`, `perdure-instrument` and `perdure-instrument-checked`.
void register_passes(llvm::PassBuilder& builder, const ClonePass& early, const InstrumentPass& late);

}  // namespace perdure::plugin

#endif
