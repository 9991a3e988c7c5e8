// The plugin inside clang: it predefines macros, keeps source locations, and adds the passes to the compilation.
#include <clang/AST/ASTConsumer.h>
#include <clang/Basic/Diagnostic.h>
#include <clang/Basic/FileManager.h>
#include <clang/Basic/SourceManager.h>
#include <clang/Frontend/CompilerInstance.h>
#include <clang/Frontend/FrontendAction.h>
#include <clang/Frontend/FrontendPluginRegistry.h>
#include <clang/Frontend/MultiplexConsumer.h>
#include <clang/Lex/Preprocessor.h>

#include <algorithm>
#include <memory>
#include <string>
#include <vector>

#include "common/host.h"
#include "common/passes.h"
#include "front_end/allocated_types.h"
#include "front_end/code_holders.h"
#include "front_end/extern_templates.h"
#include "front_end/function_tables.h"
#include "front_end/inherited_attributes.h"
#include "front_end/locations.h"
#include "front_end/named_replacements.h"
#include "front_end/source_ranges.h"

namespace perdure::plugin {
namespace {

/// Reports through clang, so that errors look like all others, with the source line.
class ClangReporter : public Reporter {
 public:
  explicit ClangReporter(clang::CompilerInstance& compiler) : compiler_(compiler) {}

  void warning(const Message& message, llvm::ArrayRef<Message> notes) override {
    show(clang::DiagnosticsEngine::Warning, message);
    for (const Message& note : notes) show(clang::DiagnosticsEngine::Note, note);
  }

 protected:
  void show(const Message& message, llvm::ArrayRef<Message> notes) override {
    show(clang::DiagnosticsEngine::Error, message);
    for (const Message& note : notes) show(clang::DiagnosticsEngine::Note, note);
  }

  // An error that was shown has failed the compilation.
  void fail(llvm::LLVMContext&) override {}

 private:
  void show(clang::DiagnosticsEngine::Level level, const Message& message) {
    clang::DiagnosticsEngine& diagnostics = compiler_.getDiagnostics();
    const clang::SourceLocation location = location_of(message.point);
    diagnostics.Report(location, diagnostics.getCustomDiagID(level, "%0")) << message.text << range_at(location);
  }

  clang::SourceRange range_at(clang::SourceLocation location) {
    if (location.isInvalid() || !compiler_.hasASTContext()) return {};
    return ranges_.at(location, compiler_.getASTContext());
  }

  clang::SourceLocation location_of(const SourcePoint& point) {
    if (point.line == 0) return {};
    const auto file = compiler_.getFileManager().getOptionalFileRef(point.file);
    if (!file) return {};
    return compiler_.getSourceManager().translateFileLineCol(&file->getFileEntry(), point.line,
                                                             std::max(point.column, 1U));
  }

  clang::CompilerInstance& compiler_;
  SourceRanges ranges_;
};

/// Tells the headers that the plugin is there.
constexpr const char* predefined_macro = "#define __PERDURE__ 1\n";

/// \returns whether the locations were not asked for, and must not reach the object file.
bool keep_locations(clang::CodeGenOptions& options) {
  if (options.getDebugInfo() != llvm::codegenoptions::NoDebugInfo) return false;
  options.setDebugInfo(llvm::codegenoptions::LocTrackingOnly);
  return true;
}

/// What a clone's own frame holds lies on the stack, where the runtime sees that it dies with the transaction.
/// AddressSanitizer would have locals elsewhere, to find uses of those of functions that have returned.
void keep_locals_on_stack(clang::CodeGenOptions& options) {
  options.setSanitizeAddressUseAfterReturn(llvm::AsanDetectStackUseAfterReturnMode::Never);
}

/// Whether the linker will have the whole program in one module. (-flto=thin: one module for each file.)
bool is_for_linker(const clang::CodeGenOptions& options) { return options.PrepareForLTO && !options.PrepareForThinLTO; }

/// Without types on copies of structs, pointers in them would be copied as they are.
void require_types_for_copies(clang::CompilerInstance& compiler) {
  const clang::CodeGenOptions& options = compiler.getCodeGenOpts();
  if (options.OptimizationLevel > 0 && !options.RelaxedAliasing) return;
  clang::DiagnosticsEngine& diagnostics = compiler.getDiagnostics();
  diagnostics.Report(diagnostics.getCustomDiagID(clang::DiagnosticsEngine::Error,
                                                 "self-relative pointers need -O1 or more, without "
                                                 "-fno-strict-aliasing: else nothing says where pointers are in a "
                                                 "struct that is copied"));
}

/// An object in a pool leads to another table than one elsewhere (code_addresses.h). A comparison of pointers to tables
/// would take that for another class, and the linker would tell what a call does from the tables that it knows.
void know_tables_of_pools(clang::CodeGenOptions& options) {
  options.AssumeUniqueVTables = false;
  options.WholeProgramVTables = false;
  options.VirtualFunctionElimination = false;
}

void refuse_control_flow_integrity(clang::CompilerInstance& compiler) {
  clang::DiagnosticsEngine& diagnostics = compiler.getDiagnostics();
  diagnostics.Report(diagnostics.getCustomDiagID(clang::DiagnosticsEngine::Error,
                                                 "control-flow integrity does not know the functions of objects in "
                                                 "pools: leave out -fsanitize=cfi and its like"));
}

/// Runs with every compilation that the plugin is loaded in.
class Action : public clang::PluginASTAction {
 protected:
  /// -fplugin-arg-perdure-report, -fplugin-arg-perdure-report=<file>, -fplugin-arg-perdure-write-only,
  /// -fplugin-arg-perdure-portable, -fplugin-arg-perdure-warn-not-portable, -fplugin-arg-perdure-serial-calls,
  /// -fplugin-arg-perdure-persistable, -fplugin-arg-perdure-self-relative, -fplugin-arg-perdure-checked
  bool ParseArgs(const clang::CompilerInstance& compiler, const std::vector<std::string>& arguments) override {
    for (llvm::StringRef argument : arguments) {
      if (bool* const flag = flag_of(argument)) {
        *flag = true;
        continue;
      }
      if (!argument.consume_front("report") || !(argument.empty() || argument.consume_front("="))) {
        clang::DiagnosticsEngine& diagnostics = compiler.getDiagnostics();
        diagnostics.Report(
            diagnostics.getCustomDiagID(clang::DiagnosticsEngine::Error,
                                        "the plugin has no such argument; -fplugin-arg-perdure- goes before report, "
                                        "write-only, portable, warn-not-portable, serial-calls, persistable, "
                                        "self-relative and checked"));
        return false;
      }
      writes_report_ = true;
      report_path_ = argument.str();
    }
    return true;
  }
  ActionType getActionType() override { return AddBeforeMainAction; }

  std::unique_ptr<clang::ASTConsumer> CreateASTConsumer(clang::CompilerInstance& compiler, llvm::StringRef) override {
    if (compiler.hasPreprocessor()) {
      clang::Preprocessor& preprocessor = compiler.getPreprocessor();
      // In front: what is there includes the headers of -include, which may be ours.
      preprocessor.setPredefines(predefined_macro + preprocessor.getPredefines());
    }
    if (has_self_relative_pointers_) require_types_for_copies(compiler);
    keep_locals_on_stack(compiler.getCodeGenOpts());
    const auto replacements = std::make_shared<Replacements>();
    ClonePass early;
    early.replacements = replacements;
    early.awaits_link = is_for_linker(compiler.getCodeGenOpts());
    early.awaits_thin_link = compiler.getCodeGenOpts().PrepareForThinLTO;
    early.allocated_types = make_allocated_types(compiler, has_self_relative_pointers_);
    early.has_self_relative_pointers = has_self_relative_pointers_;
    CodeHoldersOfFile code_holders = make_code_holders();
    early.code_holders = code_holders.holders;
    FunctionTablesOfFile function_tables = make_function_tables();
    early.function_tables = function_tables.symbols;
    know_tables_of_pools(compiler.getCodeGenOpts());
    if (compiler.getLangOpts().Sanitize.hasOneOf(clang::SanitizerKind::CFI)) refuse_control_flow_integrity(compiler);
    early.has_write_only_flavour = has_write_only_flavour_;
    early.has_serial_calls = has_serial_calls_;
    early.has_portable_blocks = has_portable_blocks_;
    early.has_persistable_objects = has_persistable_objects_;
    early.reporter = std::make_shared<ClangReporter>(compiler);
    InstrumentPass late;
    late.reporter = early.reporter;
    // The linker's messages name places, too.
    const bool adds_locations = keep_locations(compiler.getCodeGenOpts());
    late.strips_locations = adds_locations && !early.awaits_link;
    late.is_checked = is_checked_;
    late.warns_of_blocks = warns_of_blocks_;
    late.report_path = report_path_;
    if (writes_report_ && late.report_path.empty()) late.report_path = compiler.getFrontendOpts().OutputFile + ".json";
    compiler.getCodeGenOpts().ClearASTBeforeBackend = false;  // messages of the passes underline what is in it
    compiler.getCodeGenOpts().PassBuilderCallbacks.push_back(
        [=](llvm::PassBuilder& builder) { register_passes(builder, early, late); });
    std::vector<std::unique_ptr<clang::ASTConsumer>> consumers;
    consumers.push_back(make_extern_templates_consumer());
    consumers.push_back(make_inherited_attributes_consumer());
    consumers.push_back(make_replacements_consumer(replacements));
    consumers.push_back(std::move(code_holders.consumer));
    consumers.push_back(std::move(function_tables.consumer));
    // Any function may be called in a transaction of another file.
    if (early.awaits_link) expect_transactions();
    // Checks outside of transactions name places, too.
    if (adds_locations && !is_checked_) consumers.push_back(make_locations_consumer());
    return std::make_unique<clang::MultiplexConsumer>(std::move(consumers));
  }

 private:
  /// The argument's, if it is one that is given or not; null otherwise.
  bool* flag_of(llvm::StringRef argument) {
    if (argument == "write-only") return &has_write_only_flavour_;
    if (argument == "portable") return &has_portable_blocks_;
    if (argument == "warn-not-portable") return &warns_of_blocks_;
    if (argument == "serial-calls") return &has_serial_calls_;
    if (argument == "persistable") return &has_persistable_objects_;
    if (argument == "self-relative") return &has_self_relative_pointers_;
    return argument == "checked" ? &is_checked_ : nullptr;
  }

  bool writes_report_ = false;
  bool is_checked_ = false;
  bool has_self_relative_pointers_ = false;
  bool has_write_only_flavour_ = false;
  bool has_serial_calls_ = false;
  bool has_persistable_objects_ = false;
  bool has_portable_blocks_ = false;
  bool warns_of_blocks_ = false;
  std::string report_path_;
};

void register_action() {
  static const clang::FrontendPluginRegistry::Add<Action> action("perdure", "durable, thread-safe transactions");
}

const bool is_registered = inside_clang() && (register_action(), true);

}  // namespace
}  // namespace perdure::plugin
