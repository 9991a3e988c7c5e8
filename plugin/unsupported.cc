#include "unsupported.h"

#include <llvm/IR/InlineAsm.h>
#include <llvm/IR/Instructions.h>
#include <llvm/IR/IntrinsicInst.h>

#include "call_rules.h"
#include "diagnose.h"
#include "elide.h"

namespace perdure::plugin {

using namespace llvm;

namespace {

Refusal refuse(StringRef what, StringRef remedy) {
  return {(what + " cannot be made transactional").str(), remedy.str()};
}

constexpr StringLiteral move_it_out = "move it out of the transaction";

/// The variable that says whether a static local variable is initialised. Its functions are refused by name, so that
/// one variable is one error.
bool is_guard(const Value* pointer) {
  const auto* const variable = dyn_cast<GlobalVariable>(pointer);
  return variable != nullptr && variable->getName().starts_with("_ZGV");
}

std::optional<Refusal> of_access(const Value* pointer, Type* type, bool is_volatile, bool is_atomic) {
  if (is_own_frame(pointer) || is_guard(pointer)) return std::nullopt;
  if (is_atomic)
    return refuse(
        "an atomic access in a transaction",
        "a transaction makes ordinary accesses atomic: use an ordinary type for what only transactions touch, "
        "or move the access out of the transaction");
  if (is_volatile)
    return refuse("a volatile access in a transaction",
                  "use an ordinary type, or move the access out of the transaction");
  if (pointer->getType()->getPointerAddressSpace() != 0)
    return refuse("an access to another address space in a transaction", move_it_out);
  if (type != nullptr && isa<ScalableVectorType>(type))
    return refuse("an access to a vector of unknown length in a transaction", move_it_out);
  return std::nullopt;
}

/// Assembly is fine when it says that it touches no memory, or is empty (a barrier for the optimiser).
std::optional<Refusal> of_assembly(const CallBase& call) {
  const auto& assembly = *cast<InlineAsm>(call.getCalledOperand());
  if (assembly.getAsmString().empty()) return std::nullopt;
  for (const InlineAsm::ConstraintInfo& constraint : assembly.ParseConstraints()) {
    if (constraint.isIndirect || is_contained(constraint.Codes, "{memory}"))
      return refuse("inline assembly in a transaction that touches memory", move_it_out);
  }
  return std::nullopt;
}

std::optional<Refusal> of_call(const CallBase& call) {
  switch (rule_for(call)) {
    case CallRule::assembly:
      return of_assembly(call);
    case CallRule::indirect:
      return refuse(
          "a call through a pointer (of a virtual function, a function pointer or a std::function) in a "
          "transaction",
          "calls through pointers are not supported in transactions: call the function itself, pass a lambda as "
          "a template parameter, or make the class final");
    case CallRule::forbidden:
      return Refusal{"call to '" + source_name(*callee_of(call)) +
                         "' in a transaction, but it is marked "
                         "[[perdure::unsafe]]",
                     "move the call out of the transaction"};
    case CallRule::unknown_intrinsic:
      if (cast<IntrinsicInst>(call).getIntrinsicID() == Intrinsic::vastart)
        return refuse("a function with variable arguments in a transaction", "use a template parameter pack");
      return refuse(("'" + callee_of(call)->getName() + "' in a transaction").str(), move_it_out);
    case CallRule::memory_intrinsic: {
      const auto& memory = cast<MemIntrinsic>(call);
      if (auto refusal = of_access(memory.getRawDest(), nullptr, memory.isVolatile(), false)) return refusal;
      const auto* const transfer = dyn_cast<MemTransferInst>(&call);
      if (transfer == nullptr) return std::nullopt;
      return of_access(transfer->getRawSource(), nullptr, memory.isVolatile(), false);
    }
    case CallRule::unknown:
      if (callee_of(call)->getName() == "__cxa_guard_acquire")
        return refuse("the initialisation of a static local variable in a transaction",
                      "make the variable constinit or constexpr, or initialise it before the transaction");
      return Refusal{
          "call to '" + source_name(*callee_of(call)) + "' in a transaction cannot be made transactional",
          "its definition is not in this file: declare it [[perdure::safe]] if the file that defines it is "
          "compiled with the plugin and sees the same declaration, or [[perdure::pure]] if it touches no memory "
          "that transactions share"};
    default:
      return std::nullopt;
  }
}

}  // namespace

std::optional<Refusal> why_unsupported(const Instruction& instruction) {
  if (const auto* const load = dyn_cast<LoadInst>(&instruction))
    return of_access(load->getPointerOperand(), load->getType(), load->isVolatile(), load->isAtomic());
  if (const auto* const store = dyn_cast<StoreInst>(&instruction))
    return of_access(store->getPointerOperand(), store->getValueOperand()->getType(), store->isVolatile(),
                     store->isAtomic());
  if (const auto* const exchange = dyn_cast<AtomicCmpXchgInst>(&instruction))
    return of_access(exchange->getPointerOperand(), nullptr, false, true);
  if (const auto* const update = dyn_cast<AtomicRMWInst>(&instruction))
    return of_access(update->getPointerOperand(), nullptr, false, true);
  if (const auto* const fence = dyn_cast<FenceInst>(&instruction)) {
    if (fence->getSyncScopeID() == SyncScope::SingleThread) return std::nullopt;
    return refuse("a memory fence in a transaction",
                  "transactions order memory themselves: remove the fence, or move it "
                  "out of the transaction");
  }
  if (isa<VAArgInst>(instruction)) return refuse("va_arg in a transaction", move_it_out);
  if (const auto* const call = dyn_cast<CallBase>(&instruction)) return of_call(*call);
  return std::nullopt;
}

}  // namespace perdure::plugin
