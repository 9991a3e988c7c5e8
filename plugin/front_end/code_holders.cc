#include "front_end/code_holders.h"

#include <clang/AST/ASTContext.h>
#include <clang/AST/DeclCXX.h>
#include <clang/AST/Mangle.h>
#include <llvm/ADT/DenseMap.h>
#include <llvm/Support/raw_ostream.h>

#include <string>
#include <vector>

#include "common/llvm_compat.h"

namespace perdure::plugin {
namespace {

class Consumer : public clang::ASTConsumer {
 public:
  explicit Consumer(std::shared_ptr<CodeHolders> found) : found_(std::move(found)) {}

  void Initialize(clang::ASTContext& context) override {
    context_ = &context;
    mangler_.reset(clang::ItaniumMangleContext::create(context, context.getDiagnostics()));
  }

  /// Instances of templates as well. Not at once: a structure without a name may get one from the typedef that it is
  /// defined in, and to ask for its symbol before would be an error.
  void HandleTagDeclDefinition(clang::TagDecl* declaration) override {
    const auto* const record = llvm::dyn_cast<clang::RecordDecl>(declaration);
    if (record != nullptr && holds_code(*record)) holders_.push_back(record);
  }

  void HandleTranslationUnit(clang::ASTContext&) override {
    for (const clang::RecordDecl* const record : holders_) note(*record);
  }

 private:
  bool holds_code(const clang::RecordDecl& declaration) {
    const clang::RecordDecl* const record = declaration.getDefinition();
    if (record == nullptr || !record->isCompleteDefinition() || record->isDependentType()) return false;
    const auto [known, is_new] = known_.try_emplace(record, false);
    if (!is_new) return known->second;
    bool holds = false;
    for (const clang::FieldDecl* const field : record->fields()) holds = holds || holds_code(field->getType());
    if (const auto* const with_bases = llvm::dyn_cast<clang::CXXRecordDecl>(record))
      for (const clang::CXXBaseSpecifier& base : with_bases->bases()) holds = holds || holds_code(base.getType());
    known_[record] = holds;
    return holds;
  }

  bool holds_code(clang::QualType type) {
    if (type.isNull() || type->isDependentType()) return false;
    const clang::QualType element = context_->getBaseElementType(type);
    if (element->isFunctionPointerType() || element->isMemberFunctionPointerType()) return true;
    const clang::RecordDecl* const record = element->getAsRecordDecl();
    return record != nullptr && holds_code(*record);
  }

  void note(const clang::RecordDecl& record) {
    std::string text;
    llvm::raw_string_ostream stream(text);
    record.printQualifiedName(stream);
    found_->structures.insert(stream.str());
    if (!context_->getLangOpts().CPlusPlus) {
      found_->names.insert(record.getName());
      return;
    }
    std::string symbol;
    llvm::raw_string_ostream symbol_stream(symbol);
    mangler_->mangleCanonicalTypeName(compat::type_of(record, *context_), symbol_stream);
    found_->names.insert(symbol_stream.str());
  }

  std::shared_ptr<CodeHolders> found_;
  clang::ASTContext* context_ = nullptr;
  std::unique_ptr<clang::ItaniumMangleContext> mangler_;
  llvm::DenseMap<const clang::RecordDecl*, bool> known_;
  std::vector<const clang::RecordDecl*> holders_;
};

}  // namespace

CodeHoldersOfFile make_code_holders() {
  const auto found = std::make_shared<CodeHolders>();
  return {std::make_unique<Consumer>(found), found};
}

}  // namespace perdure::plugin
