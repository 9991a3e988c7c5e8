#include "front_end/extern_templates.h"

#include <clang/AST/DeclCXX.h>
#include <clang/AST/DeclTemplate.h>

namespace perdure::plugin {
namespace {

bool is_elsewhere(const clang::FunctionDecl& function) {
  return function.getTemplateSpecializationKind() == clang::TSK_ExplicitInstantiationDeclaration;
}

/// Makes it an ordinary member function, which its first use instantiates. What tells a first use is that there is no
/// point of instantiation yet, so the declaration's is forgotten.
void instantiate_here(clang::CXXMethodDecl& method) {
  if (!is_elsewhere(method)) return;
  method.setTemplateSpecializationKind(clang::TSK_ImplicitInstantiation);
  auto* const member = method.getMemberSpecializationInfo();
  if (member != nullptr && !method.hasBody()) member->setPointOfInstantiation({});
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

bool contains_declarations(const clang::Decl& declaration) {
  return llvm::isa<clang::NamespaceDecl>(declaration) || llvm::isa<clang::LinkageSpecDecl>(declaration);
}

class ExternTemplates : public clang::ASTConsumer {
 public:
  bool HandleTopLevelDecl(clang::DeclGroupRef group) override {
    for (clang::Decl* const declaration : group) visit(*declaration);
    return true;
  }

 private:
  static void visit(clang::Decl& declaration) {
    if (contains_declarations(declaration)) {
      for (clang::Decl* const member : llvm::cast<clang::DeclContext>(declaration).decls()) visit(*member);
    } else if (auto* const record = llvm::dyn_cast<clang::ClassTemplateSpecializationDecl>(&declaration)) {
      instantiate_here(*record);
    } else if (auto* const classes = llvm::dyn_cast<clang::ClassTemplateDecl>(&declaration)) {
      // Its members may have been declared one by one, which clang does not tell of.
      for (clang::ClassTemplateSpecializationDecl* const specialization : classes->specializations())
        instantiate_here(*specialization);
    } else if (auto* const function = llvm::dyn_cast<clang::FunctionDecl>(&declaration)) {
      // Was instantiated although it is declared elsewhere: as constexpr and inline functions are.
      if (is_elsewhere(*function)) function->setTemplateSpecializationKind(clang::TSK_ImplicitInstantiation);
    }
  }
};

}  // namespace

std::unique_ptr<clang::ASTConsumer> make_extern_templates_consumer() { return std::make_unique<ExternTemplates>(); }

}  // namespace perdure::plugin
