#include "front_end/locations.h"

#include <clang/AST/ASTContext.h>
#include <clang/AST/Attr.h>
#include <clang/AST/DeclCXX.h>
#include <clang/Basic/SourceManager.h>
#include <llvm/ADT/STLExtras.h>

#include <vector>

#include "common/annotations.h"
#include "common/runtime_interface.h"

namespace perdure::plugin {
namespace {

using namespace clang;

/// A process compiles one file.
bool expected = false;
std::vector<FunctionDecl*> definitions;
std::vector<FunctionDecl*> marked;

bool is_sign(const FunctionDecl& function) {
  const IdentifierInfo* const name = function.getIdentifier();
  if (name != nullptr && is_run_symbol(name->getName())) return true;
  return llvm::any_of(function.specific_attrs<AnnotateAttr>(), [](const AnnotateAttr* attribute) {
    return attribute->getAnnotation().starts_with(annotation_prefix);
  });
}

void mark(FunctionDecl& function) {
  if (function.hasAttr<NoDebugAttr>()) return;
  function.addAttr(NoDebugAttr::CreateImplicit(function.getASTContext()));
  marked.push_back(&function);
}

void drop_marks() {
  for (FunctionDecl* const function : marked) function->dropAttr<NoDebugAttr>();
  marked.clear();
}

void visit(FunctionDecl& function) {
  if (is_sign(function)) return expect_transactions();
  if (expected || !function.doesThisDeclarationHaveABody()) return;
  definitions.push_back(&function);
  if (!function.isInlined()) mark(function);
}

void visit(Decl& declaration) {
  if (expected) return;
  if (auto* const function = llvm::dyn_cast<FunctionDecl>(&declaration))
    visit(*function);
  else if (llvm::isa<NamespaceDecl>(declaration) || llvm::isa<LinkageSpecDecl>(declaration))
    for (Decl* const member : llvm::cast<DeclContext>(declaration).decls()) visit(*member);
}

/// Asked before each function is emitted: those that are not inline are at once, others at the end of the file. A
/// function is marked only around that, for clang looks attributes up in a table, and for many of them, wherever one
/// with any is called.
class Locations : public ASTConsumer {
 public:
  /// What comes before the header is emitted before that is read.
  void Initialize(ASTContext& context) override {
    const SourceManager& sources = context.getSourceManager();
    const auto main_file = sources.getBufferOrNone(sources.getMainFileID());
    if (main_file && main_file->getBuffer().contains("perdure")) expect_transactions();
  }

  bool HandleTopLevelDecl(DeclGroupRef group) override {
    drop_marks();
    for (Decl* const declaration : group) visit(*declaration);
    return true;
  }

  void HandleInlineFunctionDefinition(FunctionDecl* function) override { visit(*function); }

  void HandleTranslationUnit(ASTContext&) override {
    if (expected) return;
    for (FunctionDecl* const function : definitions) mark(*function);
  }
};

}  // namespace

void expect_transactions() {
  expected = true;
  drop_marks();
  definitions.clear();
}

std::unique_ptr<ASTConsumer> make_locations_consumer() { return std::make_unique<Locations>(); }

}  // namespace perdure::plugin
