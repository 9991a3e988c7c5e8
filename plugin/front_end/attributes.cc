// The attributes [[perdure::safe]], serial, pure, unsafe, replace(function) and implements("symbol"), each also as
// __attribute__((perdure_safe)) and so on, which may stand among the words of a declaration (`extern`, `static`, the
// type). Each becomes an annotation, which clang carries into the module for declarations as well (annotations.h).
#include <clang/AST/ASTContext.h>
#include <clang/AST/Attr.h>
#include <clang/AST/Decl.h>
#include <clang/AST/Expr.h>
#include <clang/AST/ExprCXX.h>
#include <clang/Sema/Lookup.h>
#include <clang/Sema/ParsedAttr.h>
#include <clang/Sema/Sema.h>

#include "common/annotations.h"
#include "common/host.h"
#include "common/llvm_compat.h"
#include "front_end/locations.h"
#include "front_end/named_replacements.h"

#include <string>

namespace {

using namespace clang;

class FunctionAttribute : public ParsedAttrInfo {
 public:
  explicit FunctionAttribute(const char* full_name)
      : full_name_(full_name),
        gnu_name_("perdure_" + name().str()),
        spellings_{{ParsedAttr::AS_CXX11, full_name},
                   {ParsedAttr::AS_C23, full_name},
                   {ParsedAttr::AS_GNU, gnu_name_.c_str()}} {
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
    annotate(sema, *declaration, attribute, name());
    return AttributeApplied;
  }

 protected:
  llvm::StringRef name() const { return llvm::StringRef(full_name_).split("::").second; }
  const char* gnu_name() const { return gnu_name_.c_str(); }

  static void annotate(Sema& sema, Decl& declaration, const ParsedAttr& attribute, const llvm::Twine& text) {
    perdure::plugin::expect_transactions();
    const std::string annotation = (perdure::plugin::annotation_prefix + text).str();
    declaration.addAttr(AnnotateAttr::Create(sema.Context, annotation, nullptr, 0, attribute.getRange()));
  }

 private:
  const char* full_name_;
  std::string gnu_name_;
  Spelling spellings_[3];
};

/// One that takes an argument. Clang asks for it without its scope before it decides whether to parse or to skip that.
class AttributeWithArgument : public FunctionAttribute {
 public:
  AttributeWithArgument(const char* full_name, const char* name)
      : FunctionAttribute(full_name),
        spellings_{{ParsedAttr::AS_CXX11, full_name},
                   {ParsedAttr::AS_CXX11, name},
                   {ParsedAttr::AS_C23, full_name},
                   {ParsedAttr::AS_C23, name},
                   {ParsedAttr::AS_GNU, gnu_name()}} {
    NumArgs = 1;
    Spellings = spellings_;
  }

  bool diagAppertainsToDecl(Sema& sema, const ParsedAttr& attribute, const Decl* declaration) const override {
    const IdentifierInfo* const scope = attribute.getScopeName();
    if (!attribute.isGNUAttribute() && (scope == nullptr || !scope->isStr("perdure"))) {
      sema.Diag(attribute.getLoc(), diag::warn_unknown_attribute_ignored) << attribute;
      return false;
    }
    return FunctionAttribute::diagAppertainsToDecl(sema, attribute, declaration);
  }

 protected:
  static AttrHandling refuse(Sema& sema, SourceRange range, const std::string& text) {
    const unsigned error = sema.getDiagnostics().getCustomDiagID(DiagnosticsEngine::Error, "%0");
    sema.Diag(range.getBegin(), error) << text << range;
    return AttributeNotApplied;
  }

 private:
  Spelling spellings_[5];
};

class ImplementsAttribute : public AttributeWithArgument {
 public:
  ImplementsAttribute() : AttributeWithArgument("perdure::implements", "implements") {}

  AttrHandling handleDeclAttribute(Sema& sema, Decl* declaration, const ParsedAttr& attribute) const override {
    const auto* const symbol = dyn_cast<StringLiteral>(attribute.getArgAsExpr(0)->IgnoreParenImpCasts());
    if (symbol == nullptr)
      return refuse(sema, attribute.getRange(),
                    "[[perdure::implements]] takes the symbol that it implements, as a string");
    annotate(sema, *declaration, attribute, "implements=" + symbol->getString());
    // Nothing in the file calls it, and only its clone is wanted.
    declaration->addAttr(UsedAttr::CreateImplicit(sema.Context));
    return AttributeApplied;
  }
};

/// On the function that transactions call instead of the argument.
class ReplaceAttribute : public AttributeWithArgument {
 public:
  ReplaceAttribute() : AttributeWithArgument("perdure::replace", "replace") {}

  AttrHandling handleDeclAttribute(Sema& sema, Decl* declaration, const ParsedAttr& attribute) const override {
    const auto& replacement = *cast<FunctionDecl>(declaration);
    const Argument argument = argument_of(sema, attribute);
    const auto& candidates = argument.functions;
    if (candidates.empty() || is_method(replacement))
      return refuse(
          sema, argument.range,
          "[[perdure::replace]] takes a function that is declared before, and belongs to another; neither may be a "
          "member function that is not static");
    const auto replaced = llvm::find_if(candidates, [&](const FunctionDecl* candidate) {
      return sema.Context.hasSameFunctionTypeIgnoringExceptionSpec(candidate->getType(), replacement.getType());
    });
    if (replaced == candidates.end())
      return refuse(sema, argument.range,
                    "'" + replacement.getNameAsString() + "' cannot replace '" +
                        candidates.front()->getQualifiedNameAsString() + "': its type is '" +
                        replacement.getType().getAsString() + "', not '" + candidates.front()->getType().getAsString() +
                        "'");
    perdure::plugin::note_replacement(**replaced, replacement);
    annotate(sema, *declaration, attribute, "safe");
    // What calls it is not there yet.
    declaration->addAttr(UsedAttr::CreateImplicit(sema.Context));
    return AttributeApplied;
  }

 private:
  static bool is_method(const FunctionDecl& function) {
    const auto* const method = dyn_cast<CXXMethodDecl>(&function);
    return method != nullptr && !method->isStatic();
  }

  struct Argument {
    SourceRange range;
    llvm::SmallVector<FunctionDecl*> functions;

    void add(NamedDecl* named) {
      auto* const function = dyn_cast<FunctionDecl>(named->getUnderlyingDecl());
      if (function != nullptr && !is_method(*function)) functions.push_back(function);
    }
  };

  /// Clang parses an argument as an expression unless it is a single identifier.
  static Argument argument_of(Sema& sema, const ParsedAttr& attribute) {
    if (!attribute.isArgIdent(0)) return argument_of(*attribute.getArgAsExpr(0)->IgnoreParenImpCasts());
    const IdentifierLoc& identifier = *attribute.getArgAsIdent(0);
    const SourceLocation place = perdure::plugin::compat::place_of(identifier);
    LookupResult found(sema, &perdure::plugin::compat::name_of(identifier), place, Sema::LookupOrdinaryName);
    found.suppressDiagnostics();
    sema.LookupName(found, sema.getCurScope());
    Argument argument{place, {}};
    for (NamedDecl* const named : found) argument.add(named);
    return argument;
  }

  static Argument argument_of(const Expr& expression) {
    Argument argument{expression.getSourceRange(), {}};
    if (const auto* const reference = dyn_cast<DeclRefExpr>(&expression))
      argument.add(const_cast<ValueDecl*>(reference->getDecl()));
    else if (const auto* const overloads = dyn_cast<OverloadExpr>(&expression))
      for (NamedDecl* const named : overloads->decls()) argument.add(named);
    return argument;
  }
};

struct Safe : FunctionAttribute {
  Safe() : FunctionAttribute("perdure::safe") {}
};
struct Pure : FunctionAttribute {
  Pure() : FunctionAttribute("perdure::pure") {}
};
struct Serial : FunctionAttribute {
  Serial() : FunctionAttribute("perdure::serial") {}
};
struct Unsafe : FunctionAttribute {
  Unsafe() : FunctionAttribute("perdure::unsafe") {}
};

void register_attributes() {
  static const ParsedAttrInfoRegistry::Add<Safe> safe("perdure-safe", "transactions may call this function");
  static const ParsedAttrInfoRegistry::Add<Serial> serial("perdure-serial",
                                                          "only serial transactions may call this function");
  static const ParsedAttrInfoRegistry::Add<Pure> pure("perdure-pure", "the function touches no shared memory");
  static const ParsedAttrInfoRegistry::Add<Unsafe> unsafe("perdure-unsafe", "transactions may not call this function");
  static const ParsedAttrInfoRegistry::Add<ReplaceAttribute> replace("perdure-replace",
                                                                     "transactions call it instead of another one");
  static const ParsedAttrInfoRegistry::Add<ImplementsAttribute> implements("perdure-implements",
                                                                           "the function's clone is that of a symbol");
}

const bool is_registered = perdure::plugin::inside_clang() && (register_attributes(), true);

}  // namespace
