#include "discover/call_rules.h"

#include <llvm/IR/InlineAsm.h>
#include <llvm/IR/IntrinsicInst.h>

#include "common/library_functions.h"
#include "common/markings.h"
#include "common/runtime_interface.h"
#include "discover/frees.h"
#include "discover/private_classes.h"

namespace perdure::plugin {

using namespace llvm;

namespace {

CallRule rule_for_intrinsic(const IntrinsicInst& call) {
  if (isa<AnyMemIntrinsic>(call))
    return isa<MemIntrinsic>(call) ? CallRule::memory_intrinsic : CallRule::unknown_intrinsic;
  switch (call.getIntrinsicID()) {
    case Intrinsic::masked_load:
    case Intrinsic::masked_store:
    case Intrinsic::masked_gather:
    case Intrinsic::masked_scatter:
      return CallRule::masked_intrinsic;
    // Formally these touch memory; they neither read nor write the program's.
    case Intrinsic::lifetime_start:
    case Intrinsic::lifetime_end:
    case Intrinsic::invariant_start:
    case Intrinsic::invariant_end:
    case Intrinsic::launder_invariant_group:
    case Intrinsic::strip_invariant_group:
    case Intrinsic::prefetch:
    case Intrinsic::stacksave:
    case Intrinsic::stackrestore:
    case Intrinsic::trap:
    case Intrinsic::debugtrap:
    case Intrinsic::ubsantrap:
    case Intrinsic::eh_typeid_for:
    case Intrinsic::vastart:
    case Intrinsic::vacopy:
    case Intrinsic::vaend:
    case Intrinsic::instrprof_increment:
    case Intrinsic::instrprof_increment_step:
    case Intrinsic::instrprof_cover:
    case Intrinsic::instrprof_value_profile:
    case Intrinsic::var_annotation:
    case Intrinsic::ptr_annotation:
    case Intrinsic::annotation:
      return CallRule::stays;
    default:
      return call.doesNotAccessMemory() || call.onlyAccessesInaccessibleMemory() ? CallRule::stays
                                                                                 : CallRule::unknown_intrinsic;
  }
}

/// The function that gives the address of a thread-local variable, and initialises the thread's first: outside of the
/// transaction, as static variables are.
bool is_thread_local_wrapper(const Function& function) { return function.getName().starts_with("_ZTW"); }

/// A function that replaces another one may itself call that.
bool is_call_by_replacement(const CallBase& call, const Function& callee) {
  if (!callee.hasFnAttribute(replaced_marking)) return false;
  const StringRef replacement = callee.getFnAttribute(replaced_marking).getValueAsString();
  const StringRef caller = call.getFunction()->getName();
  return caller == replacement || caller == clone_symbol(replacement);
}

/// Functions of the C++ libraries in modules that the linker has made, where all that one program has is local.
bool is_of_cxx_library(StringRef symbol) {
  symbol.consume_front("_ZN") || symbol.consume_front("_Z");
  symbol.consume_front("K");
  return symbol.starts_with("St") || symbol.starts_with("9__gnu_cxx");
}

CallRule rule_for_unreplaced(const Function& callee) {
  if (callee.hasFnAttribute(unsafe_marking)) return CallRule::forbidden;
  if (callee.hasFnAttribute(serial_marking) && !is_clone(callee)) return CallRule::serial_only;
  const StringRef symbol = callee.getName();
  if (is_clone(callee) || is_clone_symbol(symbol) || is_entry_point(symbol)) return CallRule::already_done;
  if (is_free_outside(callee)) return CallRule::provided;
  if (is_run_symbol(symbol)) return CallRule::runs_nested;
  if (symbol == nested_symbol) return CallRule::runs_part;
  if (callee.hasFnAttribute(pure_marking) || is_thread_local_wrapper(callee)) return CallRule::stays;
  const bool is_users = callee.hasExactDefinition() && may_be_the_users(symbol);
  const bool is_library_function = (!callee.hasLocalLinkage() || is_of_cxx_library(symbol)) && !is_users;
  if (is_library_function && is_provided(symbol)) return CallRule::provided;
  if (is_library_function && (is_callable_as_is(symbol) || is_harmless_function(symbol))) return CallRule::stays;
  if (is_called_privately(callee)) return CallRule::privately;
  if (!callee.isDeclaration()) return CallRule::has_body;
  if (callee.hasFnAttribute(safe_marking)) return CallRule::defined_elsewhere;
  if (callee.doesNotAccessMemory()) return CallRule::stays;
  return CallRule::unknown;
}

}  // namespace

Function* callee_of(const CallBase& call) {
  auto* const function = dyn_cast<Function>(call.getCalledOperand()->stripPointerCastsAndAliases());
  return function != nullptr && function->getFunctionType() == call.getFunctionType() ? function : nullptr;
}

CallRule rule_for(const Function& callee) {
  const bool is_replaced = callee.hasFnAttribute(replaced_marking) && !callee.hasFnAttribute(unsafe_marking);
  return is_replaced ? CallRule::replaced : rule_for_unreplaced(callee);
}

CallRule rule_for(const CallBase& call) {
  if (call.getAttributes().hasFnAttr(as_it_is_marking)) return CallRule::as_it_is;
  if (call.isInlineAsm()) return CallRule::assembly;
  // Through a pointer that the early phase has led to the clone.
  if (call.getAttributes().hasFnAttr(clone_marking)) return CallRule::already_done;
  const Function* const callee = callee_of(call);
  if (callee == nullptr) return CallRule::indirect;
  if (const auto* const intrinsic = dyn_cast<IntrinsicInst>(&call)) return rule_for_intrinsic(*intrinsic);
  return is_call_by_replacement(call, *callee) ? rule_for_unreplaced(*callee) : rule_for(*callee);
}

}  // namespace perdure::plugin
