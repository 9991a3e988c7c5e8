#include "discover/unsupported.h"

#include <llvm/IR/InlineAsm.h>
#include <llvm/IR/Instructions.h>
#include <llvm/IR/IntrinsicInst.h>

#include "common/diagnose.h"
#include "common/library_functions.h"
#include "common/llvm_compat.h"
#include "discover/argument_lists.h"
#include "discover/call_rules.h"
#include "discover/private_calls.h"
#include "elide/elide.h"
#include "layouts/self_relative.h"

namespace perdure::plugin {

using namespace llvm;

namespace {

Refusal refuse(StringRef what, StringRef remedy) {
  return {(what + " cannot be made transactional").str(), remedy.str()};
}

constexpr StringLiteral move_it_out = "move it out of the transaction";

std::optional<Refusal> of_access(const Value* pointer, Type* type) {
  const bool is_ordinary = pointer->getType()->getPointerAddressSpace() == 0;
  if (is_ordinary && !isa_and_nonnull<ScalableVectorType>(type)) return std::nullopt;
  if (is_own_frame(pointer)) return std::nullopt;
  if (pointer->getType()->getPointerAddressSpace() != 0)
    return refuse("an access to another address space in a transaction", move_it_out);
  return refuse("an access to a vector of unknown length in a transaction", move_it_out);
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

std::optional<Refusal> of_argument_list(const CallBase& call) {
  const auto* const intrinsic = dyn_cast<IntrinsicInst>(&call);
  if (intrinsic == nullptr) return std::nullopt;
  const auto id = intrinsic->getIntrinsicID();
  if ((id != Intrinsic::vastart && id != Intrinsic::vacopy) || has_own_argument_list(*intrinsic)) return std::nullopt;
  return refuse("a va_list in a transaction that is not a local variable", "make it one");
}

std::optional<Refusal> of_intrinsic(const IntrinsicInst& call) {
  const StringRef name = callee_of(call)->getName();
  return refuse(("'" + name + "' in a transaction").str(), move_it_out);
}

/// Lanes are accessed one by one, so each must have an address.
std::optional<Refusal> of_masked_access(const IntrinsicInst& masked) {
  const auto operands = compat::masked_operands(masked);
  const Type* const type = operands.value->getType();
  if (isa<ScalableVectorType>(type))
    return refuse("a masked access to a vector of unknown length in a transaction", move_it_out);
  if (operands.pointer->getType()->isVectorTy() || type->getScalarSizeInBits() % 8 == 0) return std::nullopt;
  if (is_own_frame(operands.pointer)) return std::nullopt;
  return refuse("a masked access to elements that are not whole bytes in a transaction", move_it_out);
}

constexpr StringLiteral filesystem_error_hint =
    "libc++ makes parts of this error in its headers, and destroys them in its shared object: throw a "
    "std::system_error, or make it outside of the transaction or in a serial one, TM_SERIAL … TM_END";

/// What makes a library of others part of the file, or of the program that the linker optimises; or what else to do.
StringRef hint_for_library(StringRef symbol) {
  static constexpr struct {
    StringLiteral scope, hint;
  } hints[] = {
      {"St3__14__fs10filesystem16filesystem_error", filesystem_error_hint},
      {"St3__110filesystem16filesystem_error", filesystem_error_hint},
      {"11__gnu_debug",
       "containers of libstdc++'s debug mode keep lists of iterators, which would lie in pools: compile without "
       "-D_GLIBCXX_DEBUG (-D_GLIBCXX_ASSERTIONS finds most mistakes, too)"},
      {"3fmt", "-DFMT_HEADER_ONLY makes all of {fmt} part of the file"},
      {"4absl", "what Abseil keeps in its library, its sources must bring: compile them with the plugin and -flto"},
      {"4pugi", "Debian's package has no source: compile pugixml.cpp with the plugin and -flto, or include it"},
      {"5boost",
       "most of Boost is in its headers; the sources of this part must be compiled with the plugin and -flto"},
  };
  for (const auto& [scope, hint] : hints)
    if (symbol.starts_with(("_ZN" + scope).str()) || symbol.starts_with(("_ZNK" + scope).str())) return hint;
  return {};
}

/// Functions that nothing can be done about, each with the reason.
std::optional<Refusal> of_function_without_clone(const Function& callee) {
  const StringRef symbol = callee.getName();
  if (symbol == "__cxa_guard_acquire")
    return refuse("this initialisation of a static local variable in a transaction",
                  "move the initialiser to a function of its own, or initialise the variable before the transaction");
  if (const StringRef reason = reason_to_refuse(symbol); !reason.empty())
    return refuse("call to '" + source_name(callee) + "' in a transaction", reason);
  if (const StringRef hint = hint_for_library(symbol); !hint.empty())
    return refuse("call to '" + source_name(callee) + "' in a transaction", hint);
  return Refusal{"call to '" + source_name(callee) + "' in a transaction cannot be made transactional",
                 "its definition is not in this file: declare it [[perdure::safe]] if the file that defines it is "
                 "compiled with the plugin and sees the same declaration, or [[perdure::pure]] if it touches no memory "
                 "that transactions share; or compile all files with -flto and link with it, which needs no marks; or "
                 "call it in a serial transaction, TM_SERIAL … TM_END, which may call anything"};
}

/// What is printed cannot be taken back.
std::optional<Refusal> of_standard_stream(StringRef stream) {
  return refuse(("std::" + stream + " in a transaction").str(),
                "it reads or writes a stream: do it after the transaction, with text that a string stream has made in "
                "it; or in a serial transaction, TM_SERIAL … TM_END");
}

std::optional<Refusal> of_call(const CallBase& call) {
  if (rule_for(call) == CallRule::as_it_is) return std::nullopt;
  if (const StringRef stream = standard_stream_among_arguments(call); !stream.empty())
    return of_standard_stream(stream);
  switch (rule_for(call)) {
    case CallRule::assembly:
      return of_assembly(call);
    case CallRule::forbidden:
      return Refusal{"call to '" + source_name(*callee_of(call)) +
                         "' in a transaction, but it is marked "
                         "[[perdure::unsafe]]",
                     "move the call out of the transaction"};
    case CallRule::serial_only:
      return Refusal{"call to '" + source_name(*callee_of(call)) +
                         "' in a transaction that is not serial, but it is marked [[perdure::serial]]",
                     "call it in TM_SERIAL … TM_END, or behind perdure::become_serial() in the same function; or mark "
                     "the function that calls it [[perdure::serial]], too"};
    case CallRule::stays:
      return of_argument_list(call);
    case CallRule::unknown_intrinsic:
      return of_intrinsic(cast<IntrinsicInst>(call));
    case CallRule::masked_intrinsic:
      return of_masked_access(cast<IntrinsicInst>(call));
    case CallRule::memory_intrinsic: {
      const auto& memory = cast<MemIntrinsic>(call);
      if (auto refusal = of_access(memory.getRawDest(), nullptr)) return refusal;
      const auto* const transfer = dyn_cast<MemTransferInst>(&call);
      if (transfer == nullptr) return std::nullopt;
      return of_access(transfer->getRawSource(), nullptr);
    }
    case CallRule::unknown:
      return of_function_without_clone(*callee_of(call));
    default:
      return std::nullopt;
  }
}

}  // namespace

std::optional<Refusal> why_unsupported(const Instruction& instruction) {
  if (follows_native_pointers(instruction))
    return Refusal{"libstdc++'s trees and lists follow native pointers, and the file asks for self-relative ones",
                   "use another container, -stdlib=libc++, or no -fplugin-arg-perdure-self-relative"};
  if (const auto* const load = dyn_cast<LoadInst>(&instruction))
    return of_access(load->getPointerOperand(), load->getType());
  if (const auto* const store = dyn_cast<StoreInst>(&instruction))
    return of_access(store->getPointerOperand(), store->getValueOperand()->getType());
  if (const auto* const exchange = dyn_cast<AtomicCmpXchgInst>(&instruction))
    return of_access(exchange->getPointerOperand(), nullptr);
  if (const auto* const update = dyn_cast<AtomicRMWInst>(&instruction))
    return of_access(update->getPointerOperand(), nullptr);
  if (isa<VAArgInst>(instruction)) return refuse("va_arg in a transaction", move_it_out);
  if (const auto* const call = dyn_cast<CallBase>(&instruction)) return of_call(*call);
  return std::nullopt;
}

}  // namespace perdure::plugin
