#include "front_end/function_tables.h"

#include <clang/AST/ASTContext.h>
#include <clang/AST/DeclCXX.h>
#include <clang/AST/Mangle.h>
#include <llvm/ADT/STLExtras.h>

namespace perdure::plugin {

using namespace clang;

namespace {

class FunctionTables : public ASTConsumer {
 public:
  explicit FunctionTables(std::shared_ptr<llvm::StringSet<>> symbols) : symbols_(std::move(symbols)) {}

  void Initialize(ASTContext& context) override { context_ = &context; }

  bool HandleTopLevelDecl(DeclGroupRef group) override {
    for (const Decl* const declaration : group) find(*declaration);
    return true;
  }

 private:
  void find(const Decl& declaration) {
    if (const auto* const variable = dyn_cast<VarDecl>(&declaration)) {
      if (is_table(*variable)) symbols_->insert(ASTNameGenerator(*context_).getName(variable));
    } else if (isa<NamespaceDecl, LinkageSpecDecl>(declaration)) {
      for (const Decl* const member : cast<DeclContext>(declaration).decls()) find(*member);
    }
  }

  bool is_table(const VarDecl& variable) {
    const QualType type = variable.getType();
    if (variable.isInvalidDecl() || variable.getTLSKind() != VarDecl::TLS_None) return false;
    if (type->isDependentType() || type.isConstQualified() || type.isVolatileQualified()) return false;
    // One pointer alone is there to be changed.
    return !type->isFunctionPointerType() && has_functions(type) && has_nothing_to_change(type);
  }

  const RecordDecl* structure_of(QualType type) const {
    const RecordDecl* const record = context_->getBaseElementType(type)->getAsRecordDecl();
    return record == nullptr || record->isUnion() ? nullptr : record->getDefinition();
  }

  bool has_functions(QualType type) const {
    if (context_->getBaseElementType(type)->isFunctionPointerType()) return true;
    const RecordDecl* const record = structure_of(type);
    return record != nullptr &&
           llvm::any_of(record->fields(), [&](const FieldDecl* field) { return has_functions(field->getType()); });
  }

  bool has_nothing_to_change(QualType type) const {
    const QualType element = context_->getBaseElementType(type);
    if (element->isFunctionPointerType() || element.isConstQualified()) return true;
    if (element->isPointerType()) return element->getPointeeType().isConstQualified();
    const RecordDecl* const record = structure_of(element);
    if (record == nullptr) return false;
    const auto* const with_bases = dyn_cast<CXXRecordDecl>(record);
    if (with_bases != nullptr && (!with_bases->isAggregate() || with_bases->getNumBases() != 0)) return false;
    return llvm::all_of(record->fields(),
                        [&](const FieldDecl* field) { return has_nothing_to_change(field->getType()); });
  }

  std::shared_ptr<llvm::StringSet<>> symbols_;
  ASTContext* context_ = nullptr;
};

}  // namespace

FunctionTablesOfFile make_function_tables() {
  const auto symbols = std::make_shared<llvm::StringSet<>>();
  return {std::make_unique<FunctionTables>(symbols), symbols};
}

}  // namespace perdure::plugin
