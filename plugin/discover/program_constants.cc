#include "discover/program_constants.h"

#include <llvm/ADT/STLExtras.h>
#include <llvm/ADT/SmallPtrSet.h>
#include <llvm/IR/Constants.h>
#include <llvm/IR/DataLayout.h>
#include <llvm/IR/Instructions.h>
#include <llvm/IR/IntrinsicInst.h>
#include <llvm/IR/Module.h>
#include <llvm/IR/Operator.h>

#include <string>

#include "common/markings.h"
#include "discover/whole_program.h"

namespace perdure::plugin {

using namespace llvm;

namespace {

/// As in the runtime (alloc/code_names.h).
constexpr std::uint64_t most_bytes = 1 << 20;
constexpr std::uint64_t most_alignment = 64;

/// Of the compiler, of the C++ ABI (tables of virtual functions have rows of their own) and of this plugin.
constexpr StringLiteral other_prefixes[] = {"llvm.", "_ZT", "perdure", "__"};

/// `_ZZ<function>E<variable>`, and an ABI tag where std::string is in the type.
struct EmptyTable {
  StringLiteral function, variable;
};
constexpr EmptyTable empty_tables[] = {
#define PERDURE_EMPTY_TABLE(function, variable) {function, variable},
#include "common/symbols.def"
};

/// The symbol of its function; empty if the variable is none of these.
std::string function_of_empty_table(StringRef symbol) {
  if (!symbol.consume_front("_ZZ")) return {};
  symbol.consume_back("B5cxx11");
  for (const EmptyTable& table : empty_tables) {
    StringRef function = symbol;
    if (function.consume_back(table.variable) && function.consume_back("E") && function.ends_with(table.function))
      return ("_Z" + function).str();
  }
  return {};
}

/// Functions of the C library that return no pointer keep none either.
bool is_kept_by_call(const CallBase& call, const Use& use) {
  if (!call.isArgOperand(&use)) return true;
  if (isa<MemIntrinsic>(call) || call.doesNotCapture(call.getArgOperandNo(&use))) return false;
  const Function* const callee = call.getCalledFunction();
  const bool is_of_library = callee != nullptr && callee->isDeclaration() && !may_be_in_another_file(*callee);
  return !is_of_library || call.getType()->isPointerTy();
}

/// By code that names it.
bool is_written(const Value& variable) {
  return any_of(variable.uses(), [](const Use& use) {
    const User* const user = use.getUser();
    if (const auto* const store = dyn_cast<StoreInst>(user)) return store->getPointerOperand() == use.get();
    if (const auto* const copy = dyn_cast<MemIntrinsic>(user)) return copy->getRawDest() == use.get();
    return isa<AtomicRMWInst>(user) || isa<AtomicCmpXchgInst>(user) || (isa<GEPOperator>(user) && is_written(*user));
  });
}

class Uses {
 public:
  bool keep(const Value& pointer) {
    return any_of(pointer.uses(), [this](const Use& use) { return keeps(use); });
  }

 private:
  bool keeps(const Use& use) {
    const User* const user = use.getUser();
    if (const auto* const call = dyn_cast<CallBase>(user)) return is_kept_by_call(*call, use);
    if (const auto* const store = dyn_cast<StoreInst>(user)) return store->getValueOperand() == use.get();
    if (isa<LoadInst>(user) || isa<CmpInst>(user)) return false;
    if (const auto* const variable = dyn_cast<GlobalVariable>(user))
      return !variable->getName().starts_with("llvm.") && !variable->getName().starts_with("perdure");
    const bool leads_on = isa<GEPOperator>(user) || isa<PHINode>(user) || isa<SelectInst>(user) || isa<Constant>(user);
    return !leads_on || (seen_.insert(user).second && keep(*user));
  }

  SmallPtrSet<const User*, 8> seen_;
};

}  // namespace

void mark_function_tables(Module& module, const StringSet<>& symbols) {
  for (GlobalVariable& variable : module.globals()) {
    if (variable.isConstant() || !symbols.contains(variable.getName())) continue;
    // An empty one is filled by somebody, by way of its address.
    const bool is_empty = variable.hasInitializer() && variable.getInitializer()->isNullValue();
    if (!is_empty && !is_written(variable)) variable.addAttribute(function_table_marking);
  }
}

bool is_text(const GlobalVariable& variable) {
  if (!variable.hasPrivateLinkage() || !variable.hasGlobalUnnamedAddr() || !variable.hasInitializer()) return false;
  const auto* const characters = dyn_cast<ConstantDataSequential>(variable.getInitializer());
  return (characters != nullptr && characters->isCString()) ||
         (isa<ConstantAggregateZero>(variable.getInitializer()) && variable.getName().starts_with(".str"));
}

bool is_program_constant(const GlobalVariable& variable) {
  const bool is_unchanged = variable.isConstant() || variable.hasAttribute(function_table_marking) ||
                            !function_of_empty_table(variable.getName()).empty();
  if (!is_unchanged || variable.isThreadLocal() || !variable.hasName() || variable.hasSection()) return false;
  const StringRef name = variable.getName();
  if (any_of(other_prefixes, [&](StringRef prefix) { return name.starts_with(prefix); })) return false;
  if (variable.hasPrivateLinkage() && !is_text(variable)) return false;  // it has no name that stays
  const std::uint64_t bytes = size_of_constant(variable);
  const bool is_there = bytes != 0 || variable.isDeclaration();
  const DataLayout& layout = variable.getParent()->getDataLayout();
  return is_there && bytes <= most_bytes && variable.getPointerAlignment(layout).value() <= most_alignment;
}

std::uint64_t size_of_constant(const GlobalVariable& variable) {
  Type* const type = variable.getValueType();
  return type->isSized() ? variable.getParent()->getDataLayout().getTypeAllocSize(type).getKnownMinValue() : 0;
}

bool may_be_kept_elsewhere(const GlobalVariable& variable) {
  return variable.hasExternalLinkage() && !variable.isDeclaration() && variable.isConstant() &&
         variable.getValueType()->isAggregateType();
}

Function* initialiser_of(const GlobalVariable& constant) {
  if (constant.isConstant() || constant.hasAttribute(function_table_marking)) return nullptr;
  Function* const function = constant.getParent()->getFunction(function_of_empty_table(constant.getName()));
  const bool is_known =
      function != nullptr && !function->isDeclaration() &&
      all_of(function->args(), [](const Argument& object) { return object.getType()->isPointerTy(); });
  return is_known ? function : nullptr;
}

bool is_address_kept(const GlobalVariable& variable) { return Uses().keep(variable); }

}  // namespace perdure::plugin
