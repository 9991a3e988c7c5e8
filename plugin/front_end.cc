// The plugin inside clang: it predefines macros, keeps source locations, and adds the passes to the compilation.
#include <clang/AST/ASTConsumer.h>
#include <clang/AST/DeclCXX.h>
#include <clang/AST/DeclTemplate.h>
#include <clang/Basic/Diagnostic.h>
#include <clang/Basic/FileManager.h>
#include <clang/Basic/SourceManager.h>
#include <clang/Frontend/CompilerInstance.h>
#include <clang/Frontend/FrontendAction.h>
#include <clang/Frontend/FrontendPluginRegistry.h>
#include <clang/Lex/Preprocessor.h>

#include <algorithm>
#include <memory>
#include <string>
#include <vector>

#include "host.h"
#include "passes.h"

namespace perdure::plugin {
namespace {

/// Reports through clang, so that errors look like all others, with the source line.
class ClangReporter : public Reporter {
 public:
  explicit ClangReporter(clang::CompilerInstance& compiler) : compiler_(compiler) {}

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
    const unsigned id = level == clang::DiagnosticsEngine::Error
                            ? diagnostics.getCustomDiagID(clang::DiagnosticsEngine::Error, "%0")
                            : diagnostics.getCustomDiagID(clang::DiagnosticsEngine::Note, "%0");
    diagnostics.Report(location_of(message.point), id) << message.text;
  }

  clang::SourceLocation location_of(const SourcePoint& point) {
    if (point.line == 0) return {};
    const auto file = compiler_.getFileManager().getOptionalFileRef(point.file);
    if (!file) return {};
    return compiler_.getSourceManager().translateFileLineCol(&file->getFileEntry(), point.line,
                                                             std::max(point.column, 1U));
  }

  clang::CompilerInstance& compiler_;
};

/// Tells the headers that the plugin is there.
constexpr const char* predefined_macro = "#define __PERDURE__ 1\n";

/// Makes a member function that is declared as instantiated elsewhere an ordinary one, which its first use
/// instantiates. That needs the point of instantiation forgotten, too: it is what tells a first use.
void instantiate_here(clang::CXXMethodDecl& method) {
  if (method.getTemplateSpecializationKind() != clang::TSK_ExplicitInstantiationDeclaration) return;
  method.setTemplateSpecializationKind(clang::TSK_ImplicitInstantiation);
  if (auto* const member = method.getMemberSpecializationInfo()) member->setPointOfInstantiation({});
}

void instantiate_here(clang::CXXRecordDecl& record) {
  for (clang::Decl* const member : record.decls()) {
    if (auto* const method = llvm::dyn_cast<clang::CXXMethodDecl>(member)) {
      instantiate_here(*method);
    } else if (auto* const nested = llvm::dyn_cast<clang::CXXRecordDecl>(member);
               nested != nullptr && nested != &record) {
      instantiate_here(*nested);
    }
  }
}

/// Undoes `extern template`: the standard libraries declare the members of std::string and others so, because their
/// shared objects have them, but transactions need their bodies. Only member functions: virtual tables and static
/// variables stay where they are, and clang does not tell of function templates that are declared so.
class ExternTemplates : public clang::ASTConsumer {
 public:
  bool HandleTopLevelDecl(clang::DeclGroupRef group) override {
    for (clang::Decl* const declaration : group) visit(*declaration);
    return true;
  }

 private:
  static void visit(clang::Decl& declaration) {
    if (auto* const scope = llvm::dyn_cast<clang::DeclContext>(&declaration);
        scope != nullptr && (scope->isNamespace() || llvm::isa<clang::LinkageSpecDecl>(declaration))) {
      for (clang::Decl* const member : scope->decls()) visit(*member);
    } else if (auto* const record = llvm::dyn_cast<clang::ClassTemplateSpecializationDecl>(&declaration)) {
      if (record->getSpecializationKind() == clang::TSK_ExplicitInstantiationDeclaration) instantiate_here(*record);
    }
  }
};

/// \returns whether the locations were not asked for, and must not reach the object file.
bool keep_locations(clang::CodeGenOptions& options) {
  if (options.getDebugInfo() != llvm::codegenoptions::NoDebugInfo) return false;
  options.setDebugInfo(llvm::codegenoptions::LocTrackingOnly);
  return true;
}

/// Runs with every compilation that the plugin is loaded in.
class Action : public clang::PluginASTAction {
 protected:
  bool ParseArgs(const clang::CompilerInstance&, const std::vector<std::string>&) override { return true; }
  ActionType getActionType() override { return AddBeforeMainAction; }

  std::unique_ptr<clang::ASTConsumer> CreateASTConsumer(clang::CompilerInstance& compiler, llvm::StringRef) override {
    if (compiler.hasPreprocessor()) {
      clang::Preprocessor& preprocessor = compiler.getPreprocessor();
      preprocessor.setPredefines(preprocessor.getPredefines() + predefined_macro);
    }
    const bool strips_locations = keep_locations(compiler.getCodeGenOpts());
    const auto reporter = std::make_shared<ClangReporter>(compiler);
    compiler.getCodeGenOpts().PassBuilderCallbacks.push_back(
        [=](llvm::PassBuilder& builder) { register_passes(builder, reporter, strips_locations); });
    return std::make_unique<ExternTemplates>();
  }
};

void register_action() {
  static const clang::FrontendPluginRegistry::Add<Action> action("perdure", "durable, thread-safe transactions");
}

const bool is_registered = inside_clang() && (register_action(), true);

}  // namespace
}  // namespace perdure::plugin
