#include "instrument/instrument_calls.h"

#include <llvm/ADT/Statistic.h>
#include <llvm/IR/DataLayout.h>
#include <llvm/IR/Module.h>

#include <algorithm>

#include "discover/call_rules.h"
#include "discover/clone.h"
#include "discover/flavours.h"
#include "elide/elide.h"
#include "elide/private_locals.h"
#include "layouts/block_layouts.h"

#define DEBUG_TYPE "perdure"

namespace perdure::plugin {

using namespace llvm;

STATISTIC(memory_intrinsics_instrumented, "Memory intrinsics instrumented");
STATISTIC(provided_calls, "Calls of functions whose clones the runtime provides");
STATISTIC(lookups_saved, "Calls through pointers whose function the optimiser found");
STATISTIC(values_copied, "Arguments passed by value out of shared memory");

namespace {

Value* size_of(MemIntrinsic& memory, IRBuilder<>& builder) {
  return builder.CreateZExtOrTrunc(memory.getLength(), builder.getInt64Ty());
}

void replace_set(MemSetInst& set, SharedAccess& access, IRBuilder<>& builder) {
  access.fill(builder, set.getRawDest(), set.getValue(), size_of(set, builder), set.getDestAlign().valueOrOne());
}

/// Only a copy between memory that cannot overlap may be taken for one between a private and a shared side: a pointer
/// of unknown origin may lead to the own frame, too.
void replace_transfer(MemTransferInst& transfer, SharedAccess& access, IRBuilder<>& builder) {
  Value* const to = transfer.getRawDest();
  Value* const from = transfer.getRawSource();
  Value* const size = size_of(transfer, builder);
  const Align to_alignment = transfer.getDestAlign().valueOrOne();
  const Align from_alignment = transfer.getSourceAlign().valueOrOne();
  if (isa<MemMoveInst>(transfer))
    builder.CreateCall(access.entry_points().memmove(), {to, from, size});
  else if (is_own_frame(to) || writes_private_local(transfer))
    access.copy_in(builder, to, from, size, from_alignment);
  else if (is_own_frame_or_constant(from) || reads_private_local(transfer) || is_write_only(*transfer.getFunction()))
    access.copy_out(builder, to, from, size, to_alignment);
  else
    access.copy(builder, to, from, size, std::min(to_alignment, from_alignment));
}

/// The copy that a call makes of an argument passed by value is made by the code generator, and would read shared
/// memory as it is.
void copy_shared_values(CallBase& call, SharedAccess& access) {
  if (is_write_only(*call.getFunction())) return;
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

void call_provided_clone(CallBase& call) {
  ++provided_calls;
  call.setCalledFunction(&declare_clone(*callee_of(call)));
  call.removeFnAttr(Attribute::Builtin);
}

bool is_lookup(const CallBase& call) {
  const Function* const callee = call.getCalledFunction();
  return callee != nullptr && callee->getName() == clone_of_symbol;
}

/// The optimiser may have found out which function a pointer leads to.
void look_up_now(CallBase& lookup) {
  const auto* const function = dyn_cast<Function>(lookup.getArgOperand(0)->stripPointerCastsAndAliases());
  Function* const clone = function != nullptr ? find_clone(*function) : nullptr;
  if (clone == nullptr) return;
  ++lookups_saved;
  lookup.replaceAllUsesWith(is_write_only(*lookup.getFunction()) ? &write_only_flavour(*clone) : clone);
  lookup.eraseFromParent();
}

}  // namespace

void replace_memory_intrinsic(MemIntrinsic& memory, SharedAccess& access) {
  ++memory_intrinsics_instrumented;
  IRBuilder<> builder(&memory);
  if (auto* const set = dyn_cast<MemSetInst>(&memory))
    replace_set(*set, access, builder);
  else
    replace_transfer(cast<MemTransferInst>(memory), access, builder);
  memory.eraseFromParent();
}

void adapt_call(CallBase& call, SharedAccess& access) {
  if (call.isInlineAsm()) return;
  if (is_lookup(call)) return look_up_now(call);
  copy_shared_values(call, access);
  if (rule_for(call) == CallRule::provided) call_provided_clone(call);
  tell_block_layout(call);
}

}  // namespace perdure::plugin
