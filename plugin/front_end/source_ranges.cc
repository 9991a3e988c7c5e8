#include "front_end/source_ranges.h"

#include <clang/AST/Expr.h>
#include <clang/AST/RecursiveASTVisitor.h>
#include <clang/Basic/SourceManager.h>

namespace perdure::plugin {
namespace {

using Ranges = llvm::DenseMap<clang::SourceLocation, clang::SourceRange>;

/// Comes to a statement before its parts: of those at one location the largest counts.
class Collector : public clang::RecursiveASTVisitor<Collector> {
 public:
  Collector(const clang::SourceManager& sources, Ranges& ranges) : sources_(sources), ranges_(ranges) {}

  /// In a template, what a name means is not known, nor where its instructions will be.
  bool shouldVisitTemplateInstantiations() const { return true; }

  bool VisitStmt(clang::Stmt* statement) {
    const auto* const expression = llvm::dyn_cast<clang::Expr>(statement);
    const clang::SourceLocation location = expression != nullptr ? expression->getExprLoc() : statement->getBeginLoc();
    ranges_.try_emplace(sources_.getExpansionLoc(location), statement->getSourceRange());
    return true;
  }

 private:
  const clang::SourceManager& sources_;
  Ranges& ranges_;
};

}  // namespace

clang::SourceRange SourceRanges::at(clang::SourceLocation location, clang::ASTContext& context) {
  if (ranges_.empty()) Collector(context.getSourceManager(), ranges_).TraverseDecl(context.getTranslationUnitDecl());
  return ranges_.lookup(location);
}

}  // namespace perdure::plugin
