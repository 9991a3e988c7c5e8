// The attributes [[perdure::safe]], [[perdure::pure]], [[perdure::unsafe]] and [[perdure::implements("symbol")]]. Each
// becomes an annotation, which clang carries into the module for declarations as well (annotations.h).
#include <clang/AST/ASTContext.h>
#include <clang/AST/Attr.h>
#include <clang/AST/Decl.h>
#include <clang/AST/Expr.h>
#include <clang/Sema/ParsedAttr.h>
#include <clang/Sema/Sema.h>

#include "annotations.h"
#include "host.h"

namespace {

using namespace clang;

class FunctionAttribute : public ParsedAttrInfo {
 public:
  explicit FunctionAttribute(const char* full_name)
      : full_name_(full_name), spellings_{{ParsedAttr::AS_CXX11, full_name}, {ParsedAttr::AS_C23, full_name}} {
    Spellings = spellings_;
  }

  bool diagAppertainsToDecl(Sema& sema, const ParsedAttr& attribute, const Decl* declaration) const override {
    if (isa<FunctionDecl>(declaration)) return true;
    const unsigned error = sema.getDiagnostics().getCustomDiagID(
        DiagnosticsEngine::Error, "[[%0]] belongs to a function; put it before the declaration of one");
    sema.Diag(attribute.getLoc(), error) << full_name_;
    return false;
  }

  AttrHandling handleDeclAttribute(Sema& sema, Decl* declaration, const ParsedAttr& attribute) const override {
    const llvm::StringRef name = llvm::StringRef(full_name_).split("::").second;
    annotate(sema, *declaration, attribute, name);
    return AttributeApplied;
  }

 protected:
  static void annotate(Sema& sema, Decl& declaration, const ParsedAttr& attribute, const llvm::Twine& text) {
    const std::string annotation = (perdure::plugin::annotation_prefix + text).str();
    declaration.addAttr(AnnotateAttr::Create(sema.Context, annotation, nullptr, 0, attribute.getRange()));
  }

 private:
  const char* full_name_;
  Spelling spellings_[2];
};

class ImplementsAttribute : public FunctionAttribute {
 public:
  ImplementsAttribute() : FunctionAttribute("perdure::implements") {
    NumArgs = 1;
    Spellings = spellings_;
  }

  bool diagAppertainsToDecl(Sema& sema, const ParsedAttr& attribute, const Decl* declaration) const override {
    const IdentifierInfo* const scope = attribute.getScopeName();
    if (scope == nullptr || !scope->isStr("perdure")) {
      sema.Diag(attribute.getLoc(), diag::warn_unknown_attribute_ignored) << attribute;
      return false;
    }
    return FunctionAttribute::diagAppertainsToDecl(sema, attribute, declaration);
  }

  AttrHandling handleDeclAttribute(Sema& sema, Decl* declaration, const ParsedAttr& attribute) const override {
    const auto* const symbol = dyn_cast<StringLiteral>(attribute.getArgAsExpr(0)->IgnoreParenImpCasts());
    if (symbol == nullptr) {
      const unsigned error = sema.getDiagnostics().getCustomDiagID(
          DiagnosticsEngine::Error, "[[perdure::implements]] takes the symbol that it implements, as a string");
      sema.Diag(attribute.getLoc(), error);
      return AttributeNotApplied;
    }
    annotate(sema, *declaration, attribute, "implements=" + symbol->getString());
    // Nothing in the file calls it, and only its clone is wanted.
    declaration->addAttr(UsedAttr::CreateImplicit(sema.Context));
    return AttributeApplied;
  }

 private:
  // Clang asks for the attribute without its scope before it decides whether to parse or to skip the argument.
  static constexpr Spelling spellings_[] = {{ParsedAttr::AS_CXX11, "perdure::implements"},
                                            {ParsedAttr::AS_CXX11, "implements"},
                                            {ParsedAttr::AS_C23, "perdure::implements"},
                                            {ParsedAttr::AS_C23, "implements"}};
};

struct Safe : FunctionAttribute {
  Safe() : FunctionAttribute("perdure::safe") {}
};
struct Pure : FunctionAttribute {
  Pure() : FunctionAttribute("perdure::pure") {}
};
struct Unsafe : FunctionAttribute {
  Unsafe() : FunctionAttribute("perdure::unsafe") {}
};

void register_attributes() {
  static const ParsedAttrInfoRegistry::Add<Safe> safe("perdure-safe", "transactions may call this function");
  static const ParsedAttrInfoRegistry::Add<Pure> pure("perdure-pure", "the function touches no shared memory");
  static const ParsedAttrInfoRegistry::Add<Unsafe> unsafe("perdure-unsafe", "transactions may not call this function");
  static const ParsedAttrInfoRegistry::Add<ImplementsAttribute> implements("perdure-implements",
                                                                           "the function's clone is that of a symbol");
}

const bool is_registered = perdure::plugin::inside_clang() && (register_attributes(), true);

}  // namespace
