#include "discover/serial_parts.h"

#include <llvm/ADT/STLExtras.h>
#include <llvm/Analysis/OptimizationRemarkEmitter.h>
#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/Instructions.h>

#include "common/diagnose.h"
#include "common/markings.h"
#include "common/runtime_interface.h"
#include "discover/call_rules.h"
#include "discover/last_words.h"
#include "discover/unsupported.h"
#include "layouts/self_relative.h"

namespace perdure::plugin {

using namespace llvm;

namespace {

bool begins_serial_part(const Instruction& instruction) {
  const auto* const call = dyn_cast<CallBase>(&instruction);
  const Function* const callee = call != nullptr ? callee_of(*call) : nullptr;
  return callee != nullptr && callee->getName() == become_serial_symbol;
}

constexpr StringLiteral module_flag = "perdure.serial_calls";

void remark_serial(const CallBase& call) {
  OptimizationRemarkEmitter emitter(call.getFunction());
  const Function* const callee = callee_of(call);
  emitter.emit([&] {
    return OptimizationRemarkMissed("perdure", "Serial", &call)
           << (callee != nullptr ? "call to '" + source_name(*callee) + "'" : std::string("assembly"))
           << " makes the transaction serial";
  });
}

/// A few things are wrong in every transaction.
bool is_allowed(const CallBase& call) {
  switch (rule_for(call)) {
    case CallRule::forbidden:
      return false;
    case CallRule::unknown:
      return callee_of(call)->getName() != "__cxa_guard_acquire";
    default:
      return true;
  }
}

/// \param calls  of one function. Those behind others are behind the call that makes the transaction serial, too.
void make_serial_before(ArrayRef<CallBase*> calls) {
  Function& function = *calls.front()->getFunction();
  const SerialParts serial(function, Flavour::ordinary);
  const DominatorTree tree(function);
  SmallVector<CallBase*> first_calls;
  for (CallBase* const call : calls) {
    const auto is_earlier = [&](const CallBase* other) { return tree.dominates(other, call); };
    if (!serial.contains(*call) && none_of(first_calls, is_earlier)) first_calls.push_back(call);
  }
  for (CallBase* const call : first_calls) {
    remark_serial(*call);
    IRBuilder<>(call).CreateCall(EntryPoints(*function.getParent()).become_serial());
  }
}

}  // namespace

SerialParts::SerialParts(Function& function, Flavour flavour) : is_whole_(flavour == Flavour::serial) {
  if (is_whole_ || function.isDeclaration()) return;
  for (const Instruction& instruction : instructions(function))
    if (begins_serial_part(instruction)) beginnings_.push_back(cast<CallBase>(&instruction));
  if (!beginnings_.empty()) tree_.emplace(function);
}

bool SerialParts::contains(const Instruction& instruction) const {
  return is_whole_ || any_of(beginnings_, [&](const CallBase* beginning) {
           return beginning != &instruction && tree_->dominates(beginning, &instruction);
         });
}

bool SerialParts::permits(const Instruction& instruction) const {
  if (!contains(instruction) || follows_native_pointers(instruction)) return false;
  const auto* const call = dyn_cast<CallBase>(&instruction);
  return call != nullptr ? is_allowed(*call) : is_whole_;
}

void ask_for_serial_calls(Module& module) {
  if (!are_calls_serial(module)) module.addModuleFlag(Module::Max, module_flag, 1);
}

bool are_calls_serial(const Module& module) { return module.getModuleFlag(module_flag) != nullptr; }

void make_serial_before_calls(Function& clone, function_ref<bool(const CallBase&)> is_left) {
  if (flavour_of(clone) != Flavour::ordinary) return;
  const bool are_all_serial = are_calls_serial(*clone.getParent());
  const LastWords last_words(clone);
  SmallVector<CallBase*> found;
  for (Instruction& instruction : instructions(clone)) {
    auto* const call = dyn_cast<CallBase>(&instruction);
    if (call == nullptr || is_left(*call)) continue;
    if ((are_all_serial && is_for_serial_transactions(*call)) || last_words.needs_serial_transaction(*call))
      found.push_back(call);
  }
  if (!found.empty()) make_serial_before(found);
}

bool is_for_serial_transactions(const CallBase& call) {
  return why_unsupported(call) && is_allowed(call) && !follows_native_pointers(call);
}

void call_as_it_is(CallBase& call) {
  call.addFnAttr(Attribute::get(call.getContext(), as_it_is_marking));
  // Or fprintf of a constant becomes fwrite, which has no marking.
  call.removeFnAttr(Attribute::Builtin);
  call.addFnAttr(Attribute::NoBuiltin);
  const Function* const callee = callee_of(call);
  if (callee != nullptr && !callee->isIntrinsic()) call.addFnAttr(Attribute::NoInline);
}

void call_serial_clone_if_linked(CallBase& call) {
  Function& callee = *callee_of(call);
  Function& clone = declare_clone(callee, Flavour::serial);
  clone.setLinkage(GlobalValue::ExternalWeakLinkage);
  clone.setDSOLocal(false);
  IRBuilder<> builder(&call);
  call.setCalledOperand(builder.CreateSelect(builder.CreateIsNotNull(&clone), &clone, &callee));
  call.addFnAttr(Attribute::get(call.getContext(), clone_marking));
}

}  // namespace perdure::plugin
