#include "elide/frame_locals.h"

#include <llvm/ADT/STLExtras.h>
#include <llvm/ADT/SmallPtrSet.h>
#include <llvm/IR/IntrinsicInst.h>
#include <llvm/IR/Operator.h>

namespace perdure::plugin {

using namespace llvm;

namespace {

/// The offset after one more step; nothing when it is not constant.
std::optional<std::int64_t> advance(std::optional<std::int64_t> offset, const GetElementPtrInst& step,
                                    const DataLayout& layout) {
  APInt bytes(layout.getIndexTypeSizeInBits(step.getType()), 0);
  if (!offset || !step.accumulateConstantOffset(layout, bytes)) return std::nullopt;
  return *offset + bytes.getSExtValue();
}

bool overlaps(std::int64_t offset, std::uint64_t size, std::int64_t other, std::uint64_t other_size) {
  return offset < other + static_cast<std::int64_t>(other_size) && other < offset + static_cast<std::int64_t>(size);
}

}  // namespace

const Local::Pointer* Local::pointer_at(std::uint64_t offset) const {
  const auto* const found = find_if(pointers, [=](const Pointer& pointer) { return pointer.offset == offset; });
  return found != pointers.end() ? found : nullptr;
}

void Local::expose(std::optional<std::int64_t> offset, std::uint64_t size) {
  for (const Pointer& pointer : pointers)
    if (!offset || overlaps(*offset, size, static_cast<std::int64_t>(pointer.offset), sizeof(void*)))
      pointer.target->escapes = true;
}

std::optional<FrameLocals::Target> FrameLocals::variable_of(Value* pointer) const {
  APInt offset(layout_.getIndexTypeSizeInBits(pointer->getType()), 0);
  auto* const variable =
      dyn_cast<AllocaInst>(pointer->stripAndAccumulateConstantOffsets(layout_, offset, /*AllowNonInbounds=*/true));
  if (variable == nullptr || !variable->isStaticAlloca() || !variable->getAllocationSize(layout_)) return std::nullopt;
  return Target{.variable = variable, .offset = offset.getSExtValue()};
}

std::optional<FrameLocals::Place> FrameLocals::find(Value* pointer) {
  const auto found = variable_of(pointer);
  if (!found) return std::nullopt;
  return Place{&look_at(*found->variable), found->offset};
}

/// Where the address of the local goes in the function.
Local& FrameLocals::look_at(AllocaInst& variable) {
  auto& known = locals_[&variable];
  if (known != nullptr) return *known;
  known = std::make_unique<Local>(Local{&variable, variable.getAllocationSize(layout_)->getFixedValue(), {}});
  Local& local = *known;  // `known` itself does not stay where it is

  SmallVector<Store> stores;
  SmallPtrSet<Value*, 16> visited;
  SmallVector<std::pair<Value*, std::optional<std::int64_t>>> pointers = {{&variable, 0}};
  while (!pointers.empty()) {
    const auto [pointer, offset] = pointers.pop_back_val();
    for (const Use& use : pointer->uses()) {
      auto* const user = cast<Instruction>(use.getUser());
      if (auto* const step = dyn_cast<GetElementPtrInst>(user))
        pointers.push_back({step, advance(offset, *step, layout_)});
      else if (!isa<PHINode, SelectInst>(user))
        look_at_use(local, use, offset, stores);
      else if (visited.insert(user).second)
        pointers.push_back({user, std::nullopt});
    }
  }
  note_pointers(local, stores);
  return local;
}

void FrameLocals::look_at_use(Local& local, const Use& use, std::optional<std::int64_t> offset,
                              SmallVectorImpl<Store>& stores) {
  auto& user = *cast<Instruction>(use.getUser());
  if (isa<LoadInst, MemIntrinsic>(user)) {
    local.hands_out = true;
  } else if (auto* const store = dyn_cast<StoreInst>(&user)) {
    const bool is_target = use.getOperandNo() == StoreInst::getPointerOperandIndex();
    if (!is_target) {
      // Into another local that the search comes by: then that one holds a pointer.
      const auto holder = variable_of(store->getPointerOperand());
      if (!offset || !holder) local.escapes = true;
      if (offset && holder) look_at(*holder->variable);
    } else if (offset) {
      const std::uint64_t size = layout_.getTypeStoreSize(store->getValueOperand()->getType());
      stores.push_back({*offset, size, store->getValueOperand()});
    } else {
      local.hands_out = true;
    }
  } else if (const auto* const call = dyn_cast<CallBase>(&user)) {
    look_at_call(local, *call, use, offset);
  } else if (!isa<ICmpInst>(user)) {
    local.escapes = true;
  }
}

void FrameLocals::look_at_call(Local& local, const CallBase& call, const Use& use, std::optional<std::int64_t> offset) {
  const auto* const intrinsic = dyn_cast<IntrinsicInst>(&call);
  if (intrinsic != nullptr && intrinsic->isAssumeLikeIntrinsic() && intrinsic->getType()->isVoidTy()) return;
  if (!call.isArgOperand(&use)) {
    local.escapes = true;
    return;
  }
  const unsigned argument = call.getArgOperandNo(&use);
  if (is_contained(followed_, &call) && argument == closure_argument && offset) return;
  local.hands_out = true;
  if (argument_uses_.of(call, argument) == ArgumentUse::keeps) local.escapes = true;
}

/// A slot holds a pointer for certain when nothing else is ever stored there.
void FrameLocals::note_pointers(Local& local, ArrayRef<Store> stores) {
  for (const Store& store : stores) {
    if (!store.value->getType()->isPointerTy()) continue;
    const auto target = variable_of(store.value);
    if (!target) continue;
    Local& pointee = look_at(*target->variable);
    const bool is_clear = store.offset >= 0 && all_of(stores, [&](const Store& other) {
                            return !overlaps(store.offset, store.size, other.offset, other.size) ||
                                   (other.offset == store.offset && other.value == store.value);
                          });
    if (!is_clear) pointee.escapes = true;
    const auto offset = static_cast<std::uint64_t>(store.offset);
    if (is_clear && local.pointer_at(offset) == nullptr) local.pointers.push_back({offset, &pointee, target->offset});
  }
}

void FrameLocals::propagate_escapes() {
  for (bool changes = true; changes;) {
    changes = false;
    for (const auto& [variable, local] : locals_) {
      // Calls read by way of the runtime, which may compare with what it finds at commit.
      if (local->is_written && local->is_read_by_call) local->escapes = true;
      if (!local->escapes && !local->hands_out) continue;
      for (const Local::Pointer& pointer : local->pointers) {
        changes |= !pointer.target->escapes;
        pointer.target->escapes = true;
      }
    }
  }
}

}  // namespace perdure::plugin
