#include "instrument_calls.h"

#include <llvm/ADT/STLExtras.h>
#include <llvm/ADT/Statistic.h>
#include <llvm/IR/DataLayout.h>
#include <llvm/IR/Module.h>

#include <algorithm>

#include "call_rules.h"
#include "clone.h"
#include "elide.h"
#include "library_functions.h"

#define DEBUG_TYPE "perdure"

namespace perdure::plugin {

using namespace llvm;

STATISTIC(memory_intrinsics_instrumented, "Memory intrinsics instrumented");
STATISTIC(memory_intrinsics_left, "Memory intrinsics left: own frame or constant");
STATISTIC(provided_calls, "Calls of functions whose clones the runtime provides");
STATISTIC(provided_calls_left, "Calls of such functions left: they read only the own frame or constants");
STATISTIC(values_copied, "Arguments passed by value out of shared memory");

namespace {

Value* size_of(MemIntrinsic& memory, IRBuilder<>& builder) {
  return builder.CreateZExtOrTrunc(memory.getLength(), builder.getInt64Ty());
}

/// \returns false when the memory is private.
bool replace_set(MemSetInst& set, SharedAccess& access, IRBuilder<>& builder) {
  if (is_own_frame(set.getRawDest())) return false;
  access.fill(builder, set.getRawDest(), set.getValue(), size_of(set, builder), set.getDestAlign().valueOrOne());
  return true;
}

/// \returns false when both sides are private. Only a copy between memory that cannot overlap may be taken for one
/// between a private and a shared side: a pointer of unknown origin may lead to the own frame, too.
bool replace_transfer(MemTransferInst& transfer, SharedAccess& access, IRBuilder<>& builder) {
  Value* const to = transfer.getRawDest();
  Value* const from = transfer.getRawSource();
  const bool to_own = is_own_frame(to);
  const bool from_private = is_own_frame_or_constant(from);
  if (to_own && from_private) return false;
  Value* const size = size_of(transfer, builder);
  const Align to_alignment = transfer.getDestAlign().valueOrOne();
  const Align from_alignment = transfer.getSourceAlign().valueOrOne();
  if (isa<MemMoveInst>(transfer))
    builder.CreateCall(access.entry_points().memmove(), {to, from, size});
  else if (to_own)
    access.copy_in(builder, to, from, size, from_alignment);
  else if (from_private)
    access.copy_out(builder, to, from, size, to_alignment);
  else
    access.copy(builder, to, from, size, std::min(to_alignment, from_alignment));
  return true;
}

/// The copy that a call makes of an argument passed by value is made by the code generator, and would read shared
/// memory as it is.
void copy_shared_values(CallBase& call, SharedAccess& access) {
  const DataLayout& layout = call.getModule()->getDataLayout();
  for (unsigned i = 0; i < call.arg_size(); ++i) {
    Value* const argument = call.getArgOperand(i);
    if (!call.isByValArgument(i) || is_own_frame_or_constant(argument)) continue;
    ++values_copied;
    Type* const type = call.getParamByValType(i);
    const Align alignment = call.getParamAlign(i).valueOrOne();
    AllocaInst* const copy = access.new_local(type, alignment);
    IRBuilder<> builder(&call);
    access.copy_in(builder, copy, argument, builder.getInt64(layout.getTypeAllocSize(type)), alignment);
    call.setArgOperand(i, copy);
    if (auto* const direct = dyn_cast<CallInst>(&call); direct != nullptr && !direct->isMustTailCall())
      direct->setTailCall(false);
  }
}

bool reads_private_memory_only(const CallBase& call) {
  return only_reads_arguments(call.getCalledFunction()->getName()) && all_of(call.args(), [](const Value* argument) {
           return !argument->getType()->isPointerTy() || is_own_frame_or_constant(argument);
         });
}

void call_provided_clone(CallBase& call) {
  if (reads_private_memory_only(call)) {
    ++provided_calls_left;
    return;
  }
  ++provided_calls;
  call.setCalledFunction(&declare_clone(*callee_of(call)));
  call.removeFnAttr(Attribute::Builtin);
}

}  // namespace

void replace_memory_intrinsic(MemIntrinsic& memory, SharedAccess& access) {
  IRBuilder<> builder(&memory);
  auto* const set = dyn_cast<MemSetInst>(&memory);
  const bool is_replaced = set != nullptr ? replace_set(*set, access, builder)
                                          : replace_transfer(cast<MemTransferInst>(memory), access, builder);
  if (is_replaced) {
    ++memory_intrinsics_instrumented;
    memory.eraseFromParent();
  } else {
    ++memory_intrinsics_left;
  }
}

void adapt_call(CallBase& call, SharedAccess& access) {
  if (call.isInlineAsm()) return;
  copy_shared_values(call, access);
  if (rule_for(call) == CallRule::provided) call_provided_clone(call);
}

}  // namespace perdure::plugin
