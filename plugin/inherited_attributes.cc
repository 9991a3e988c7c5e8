#include "inherited_attributes.h"

#include <clang/AST/ASTContext.h>
#include <clang/AST/Attr.h>
#include <clang/AST/DeclCXX.h>
#include <llvm/ADT/STLExtras.h>

#include "annotations.h"

namespace perdure::plugin {

using namespace clang;

namespace {

const AnnotateAttr* marking_of(const CXXMethodDecl& method) {
  for (const auto* const attribute : method.specific_attrs<AnnotateAttr>())
    if (attribute->getAnnotation().starts_with(annotation_prefix)) return attribute;
  return nullptr;
}

bool is_safe(const CXXMethodDecl* method) {
  const AnnotateAttr* const marking = marking_of(*method);
  return marking != nullptr && marking->getAnnotation() == (annotation_prefix + "safe").str();
}

void inherit_attributes(CXXRecordDecl& record) {
  for (CXXMethodDecl* const method : record.methods()) {
    if (marking_of(*method) != nullptr) continue;
    const auto overridden = method->overridden_methods();
    const auto safe = llvm::find_if(overridden, is_safe);
    if (safe != overridden.end()) method->addAttr(marking_of(**safe)->clone(method->getASTContext()));
  }
}

class InheritedAttributes : public ASTConsumer {
 public:
  void HandleTagDeclDefinition(TagDecl* declaration) override {
    if (auto* const record = llvm::dyn_cast<CXXRecordDecl>(declaration)) inherit_attributes(*record);
  }
};

}  // namespace

std::unique_ptr<ASTConsumer> make_inherited_attributes_consumer() { return std::make_unique<InheritedAttributes>(); }

}  // namespace perdure::plugin
