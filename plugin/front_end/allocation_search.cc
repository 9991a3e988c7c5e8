#include "front_end/allocation_search.h"

#include <clang/AST/Expr.h>
#include <clang/AST/ExprCXX.h>
#include <clang/AST/RecursiveASTVisitor.h>
#include <clang/Basic/Builtins.h>
#include <llvm/ADT/DenseMap.h>
#include <llvm/ADT/StringSwitch.h>

#include <algorithm>
#include <optional>
#include <utility>

#include "common/runtime_interface.h"
#include "layouts/words.h"

namespace perdure::plugin {
namespace {

using namespace clang;

/// Which argument says how large an element is, or a block; calloc says it with either.
using SizeArguments = llvm::ArrayRef<unsigned>;

SizeArguments size_arguments_of_c(llvm::StringRef name) {
  static constexpr unsigned positions[] = {0, 1, 2};
  const SizeArguments all(positions);
  return llvm::StringSwitch<SizeArguments>(name)
      .Case("malloc", all.slice(0, 1))
      .Case("calloc", all.slice(0, 2))
      .Case("aligned_alloc", all.slice(1, 1))
      .Case(allocate_in_symbol, all.slice(2, 1))
      .Case(persist_symbol, all.slice(1, 1))
      .Default({});
}

/// Nothing for a function that allocates no memory.
SizeArguments size_arguments(const FunctionDecl& function) {
  static constexpr unsigned first[] = {0};
  const OverloadedOperatorKind symbol = function.getDeclName().getCXXOverloadedOperator();
  if (symbol == OO_New || symbol == OO_Array_New)
    return function.isReplaceableGlobalAllocationFunction() ? SizeArguments(first) : SizeArguments();
  if (function.getBuiltinID() == Builtin::BI__builtin_operator_new) return first;
  if (function.getIdentifier() == nullptr) return {};
  const llvm::StringRef name = function.getName();
  const bool is_of_libcxx = name == "__libcpp_allocate" || name == "__libcpp_operator_new";
  if (is_of_libcxx && function.isInStdNamespace()) return first;
  return function.isExternC() || function.getBuiltinID() != 0 ? size_arguments_of_c(name) : SizeArguments();
}

SizeArguments size_arguments(const CallExpr& call) {
  const FunctionDecl* const callee = call.getDirectCallee();
  return callee != nullptr ? size_arguments(*callee) : SizeArguments();
}

/// The T in `sizeof(T)` or in a multiple of that; null when there is none.
QualType type_in_size(const Expr& expression) {
  const Expr* const size = expression.IgnoreParenImpCasts();
  if (const auto* const trait = llvm::dyn_cast<UnaryExprOrTypeTraitExpr>(size))
    return trait->getKind() == UETT_SizeOf ? trait->getTypeOfArgument() : QualType();
  if (const auto* const product = llvm::dyn_cast<BinaryOperator>(size);
      product != nullptr && product->getOpcode() == BO_Mul) {
    const QualType left = type_in_size(*product->getLHS()), right = type_in_size(*product->getRHS());
    if (left.isNull()) return right;
    return right.isNull() ? left : QualType();
  }
  // libc++ names the size before it uses it, and changes it no more.
  const auto* const reference = llvm::dyn_cast<DeclRefExpr>(size);
  const auto* const variable = reference != nullptr ? llvm::dyn_cast<VarDecl>(reference->getDecl()) : nullptr;
  const bool is_fixed = variable != nullptr && variable->hasInit() &&
                        (variable->getType().isConstQualified() || variable->isInStdNamespace());
  return is_fixed ? type_in_size(*variable->getInit()) : QualType();
}

QualType type_in_size(const CallExpr& call) {
  for (const unsigned argument : size_arguments(call)) {
    if (argument >= call.getNumArgs()) continue;
    const QualType type = type_in_size(*call.getArg(argument));
    if (!type.isNull()) return type.getCanonicalType().getUnqualifiedType();
  }
  return {};
}

bool points_to(QualType pointer, QualType type) {
  return !type.isNull() && pointer->isPointerType() &&
         pointer->getPointeeType().getCanonicalType().getUnqualifiedType() == type;
}

/// An allocator's, whose result is what it allocates.
bool is_allocate_for(const FunctionDecl* function, QualType type) {
  if (function == nullptr || function->getIdentifier() == nullptr) return false;
  const llvm::StringRef name = function->getName();
  return (name == "allocate" || name.starts_with("__libcpp_allocate")) && points_to(function->getReturnType(), type);
}

/// What the Itanium C++ ABI puts before the elements if `delete[]` must know how many there are.
std::uint64_t first_element_of(const CXXNewExpr& expression, const ASTContext& context) {
  const QualType type = expression.getAllocatedType();
  const bool has_count =
      expression.isArray() && (expression.doesUsualArrayDeleteWantSize() || type.isDestructedType() != 0);
  if (!has_count) return 0;
  return std::max<std::uint64_t>(word_bytes,
                                 static_cast<std::uint64_t>(context.getPreferredTypeAlignInChars(type).getQuantity()));
}

/// Comes to a cast before what is cast, and to all that code is made from, written or not.
class Search : public RecursiveASTVisitor<Search> {
 public:
  explicit Search(const ASTContext& context) : context_(context) {}

  bool shouldVisitTemplateInstantiations() const { return true; }
  bool shouldVisitImplicitCode() const { return true; }

  // No code is made from names and types, which are many.
  bool TraverseTypeLoc(TypeLoc, bool = true) { return true; }
  bool TraverseNestedNameSpecifierLoc(NestedNameSpecifierLoc) { return true; }
  bool TraverseDeclarationNameInfo(DeclarationNameInfo) { return true; }
  bool TraverseTemplateArgumentLoc(const TemplateArgumentLoc&) { return true; }

  /// Nor from templates themselves.
  bool TraverseDecl(Decl* declaration) {
    const auto* const scope = llvm::dyn_cast_or_null<DeclContext>(declaration);
    if (scope != nullptr && scope->isDependentContext()) return true;
    auto* const function = llvm::dyn_cast_or_null<FunctionDecl>(declaration);
    const FunctionDecl* const outer = function_;
    if (function != nullptr) function_ = function;
    const bool goes_on = RecursiveASTVisitor::TraverseDecl(declaration);
    function_ = outer;
    return goes_on;
  }

  bool TraverseCXXDefaultArgExpr(CXXDefaultArgExpr* argument) {
    const bool outer = std::exchange(is_in_default_argument_, true);
    const bool goes_on = TraverseStmt(argument->getExpr());
    is_in_default_argument_ = outer;
    return goes_on;
  }

  /// A constructor that is inherited and has any number of arguments is part of the function that calls it.
  bool VisitCXXConstructExpr(CXXConstructExpr* expression) {
    const CXXConstructorDecl* const constructor = expression->getConstructor();
    if (constructor->isInheritingConstructor() && constructor->isVariadic())
      found_.push_back({function_, SourceLocation(), QualType(), 0});
    return true;
  }

  bool VisitCastExpr(CastExpr* cast) {
    const auto* const call = llvm::dyn_cast<CallExpr>(cast->getSubExpr()->IgnoreParenCasts());
    if (call == nullptr || !cast->getType()->isPointerType()) return true;
    const QualType type = type_in_size(*call);
    if (points_to(cast->getType(), type)) types_[call] = type;
    return true;
  }

  bool VisitCallExpr(CallExpr* call) {
    if (size_arguments(*call).empty()) return true;
    QualType type = types_.lookup(call);
    if (type.isNull() && is_allocate_for(function_, type_in_size(*call))) type = type_in_size(*call);
    add(*call, type, 0);
    return true;
  }

  bool VisitCXXNewExpr(CXXNewExpr* expression) {
    const FunctionDecl* const allocates = expression->getOperatorNew();
    if (allocates == nullptr || size_arguments(*allocates).empty()) return true;
    add(*expression, expression->getAllocatedType(), first_element_of(*expression, context_));
    return true;
  }

  std::vector<Allocation> take() { return std::move(found_); }

 private:
  void add(const Expr& expression, QualType type, std::uint64_t first_element) {
    const SourceLocation location = is_in_default_argument_ ? SourceLocation() : expression.getExprLoc();
    found_.push_back({function_, location, type, first_element});
  }

  const ASTContext& context_;
  bool is_in_default_argument_ = false;
  const FunctionDecl* function_ = nullptr;
  llvm::DenseMap<const CallExpr*, QualType> types_;  // of the results of calls that are cast
  std::vector<Allocation> found_;
};

}  // namespace

std::vector<Allocation> allocations_in(ASTContext& context) {
  Search search(context);
  search.TraverseDecl(context.getTranslationUnitDecl());
  return search.take();
}

}  // namespace perdure::plugin
