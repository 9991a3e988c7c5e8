#include "front_end/named_replacements.h"

#include <clang/AST/ASTContext.h>
#include <clang/AST/Attr.h>
#include <clang/AST/Mangle.h>
#include <llvm/ADT/STLExtras.h>

#include <utility>
#include <vector>

#include "common/annotations.h"
#include "common/markings.h"

namespace perdure::plugin {
namespace {

using clang::FunctionDecl;

/// A process compiles one file.
std::vector<std::pair<const FunctionDecl*, const FunctionDecl*>> noted;

llvm::StringRef marking_of(const FunctionDecl& function) {
  const auto is_annotated = [&](llvm::StringRef name) {
    const std::string text = (annotation_prefix + name).str();
    return llvm::any_of(function.getMostRecentDecl()->specific_attrs<clang::AnnotateAttr>(),
                        [&](const clang::AnnotateAttr* attribute) { return attribute->getAnnotation() == text; });
  };
  if (is_annotated("unsafe")) return unsafe_marking;
  return is_annotated("pure") ? pure_marking : safe_marking;
}

class NamedReplacements : public clang::ASTConsumer {
 public:
  explicit NamedReplacements(std::shared_ptr<Replacements> table) : table_(std::move(table)) {}

  void HandleTranslationUnit(clang::ASTContext& context) override {
    clang::ASTNameGenerator names(context);
    for (const auto& [replaced, replacement] : noted)
      table_->push_back({names.getName(replaced), names.getName(replacement), marking_of(*replacement).str()});
  }

 private:
  std::shared_ptr<Replacements> table_;
};

}  // namespace

void note_replacement(const FunctionDecl& replaced, const FunctionDecl& replacement) {
  noted.emplace_back(&replaced, &replacement);
}

std::unique_ptr<clang::ASTConsumer> make_replacements_consumer(std::shared_ptr<Replacements> table) {
  return std::make_unique<NamedReplacements>(std::move(table));
}

}  // namespace perdure::plugin
