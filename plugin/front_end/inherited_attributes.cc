#include "front_end/inherited_attributes.h"

#include <clang/AST/ASTContext.h>
#include <clang/AST/Attr.h>
#include <clang/AST/DeclCXX.h>
#include <llvm/ADT/STLExtras.h>

#include "common/annotations.h"

namespace perdure::plugin {

using namespace clang;

namespace {

const AnnotateAttr* marking_of(const CXXMethodDecl& method) {
  for (const auto* const attribute : method.specific_attrs<AnnotateAttr>())
    if (attribute->getAnnotation().starts_with(annotation_prefix)) return attribute;
  return nullptr;
}

bool hands_down(const CXXMethodDecl* method) {
  const AnnotateAttr* const marking = marking_of(*method);
  if (marking == nullptr) return false;
  const llvm::StringRef name = marking->getAnnotation().substr(annotation_prefix.size());
  return name == "safe" || name == "serial";
}

void inherit_attributes(CXXRecordDecl& record) {
  for (CXXMethodDecl* const method : record.methods()) {
    if (marking_of(*method) != nullptr) continue;
    const auto overridden = method->overridden_methods();
    const auto marked = llvm::find_if(overridden, hands_down);
    if (marked != overridden.end()) method->addAttr(marking_of(**marked)->clone(method->getASTContext()));
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
