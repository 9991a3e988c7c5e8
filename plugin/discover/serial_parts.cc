#include "discover/serial_parts.h"

#include <llvm/ADT/STLExtras.h>
#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/Instructions.h>

#include "common/markings.h"
#include "common/runtime_interface.h"
#include "discover/call_rules.h"
#include "layouts/self_relative.h"

namespace perdure::plugin {

using namespace llvm;

namespace {

bool begins_serial_part(const Instruction& instruction) {
  const auto* const call = dyn_cast<CallBase>(&instruction);
  const Function* const callee = call != nullptr ? callee_of(*call) : nullptr;
  return callee != nullptr && callee->getName() == become_serial_symbol;
}

/// A few things are wrong in every transaction.
bool is_allowed(const CallBase& call) {
  switch (rule_for(call)) {
    case CallRule::forbidden:
      return false;
    case CallRule::unknown:
      return callee_of(call)->getName() != "__cxa_guard_acquire";
    case CallRule::unknown_intrinsic:
      return !callee_of(call)->getName().starts_with("llvm.coro.");
    default:
      return true;
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

void call_as_it_is(CallBase& call) {
  call.addFnAttr(Attribute::get(call.getContext(), as_it_is_marking));
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
