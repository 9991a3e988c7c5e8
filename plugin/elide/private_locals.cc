#include "elide/private_locals.h"

#include <llvm/ADT/DenseMap.h>
#include <llvm/ADT/MapVector.h>
#include <llvm/ADT/STLExtras.h>
#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/IntrinsicInst.h>
#include <llvm/Transforms/Utils/Cloning.h>

#include <optional>

#include "common/markings.h"
#include "common/runtime_interface.h"
#include "discover/boundary.h"
#include "elide/frame_locals.h"

namespace perdure::plugin {

using namespace llvm;

namespace {

constexpr StringLiteral read_mark = "perdure.reads_private_local";
constexpr StringLiteral write_mark = "perdure.writes_private_local";

/// Saving more at every start of a transaction would cost more than it gains.
constexpr std::uint64_t most_bytes_saved = 256;

void mark(Instruction& access, StringRef kind) { access.setMetadata(kind, MDNode::get(access.getContext(), {})); }

/// One transaction: its body, and what that does with the locals its closure leads to.
class TransactionBody {
 public:
  TransactionBody(CallBase& run, Function& body, FrameLocals::Place closure, ArgumentUses& argument_uses)
      : run_(run),
        body_(body),
        closure_(*closure.local),
        closure_offset_(closure.offset),
        argument_uses_(argument_uses) {}

  /// Follows the closure's pointer through the body.
  void follow() {
    parents_[&closure_] = {nullptr, nullptr};
    place(*body_.getArg(0), closure_, closure_offset_);
    while (!unvisited_.empty()) {
      Value* const pointer = unvisited_.pop_back_val();
      const Place from = places_[pointer];
      for (Use& use : pointer->uses()) follow(use, from);
    }
    for (const auto& [value, place] : places_)
      if (isa<PHINode, SelectInst>(value) && !leads_only_to(*cast<Instruction>(value), *place.local))
        place.local->escapes = true;
  }

  /// When it is known which locals are private.
  void mark_accesses() {
    SmallVector<Local*> written;
    for (const Access& access : accesses_) {
      if (access.local->escapes) continue;
      mark(*access.instruction, access.writes ? write_mark : read_mark);
      if (access.writes && !is_contained(written, access.local)) written.push_back(access.local);
    }
    for (Local* const local : written) save(*local);
  }

  bool has_private_accesses() const {
    return any_of(accesses_, [](const Access& access) { return !access.local->escapes; });
  }

  CallBase& run() const { return run_; }
  Function& body() const { return body_; }

 private:
  struct Place {
    Local* local;
    std::optional<std::int64_t> offset;
  };
  struct Access {
    Instruction* instruction;
    Local* local;
    bool writes;
  };
  struct Parent {
    Local* local;
    const Local::Pointer* pointer;
  };

  void place(Value& pointer, Local& local, std::optional<std::int64_t> offset) {
    const auto [known, is_new] = places_.insert({&pointer, {&local, offset}});
    if (is_new) return unvisited_.push_back(&pointer);
    if (known->second.local == &local) return;
    local.escapes = known->second.local->escapes = true;
  }

  void follow(Use& use, const Place& from) {
    auto& user = *cast<Instruction>(use.getUser());
    if (auto* const load = dyn_cast<LoadInst>(&user))
      follow_load(*load, from);
    else if (auto* const store = dyn_cast<StoreInst>(&user))
      follow_store(*store, use, from);
    else if (auto* const step = dyn_cast<GetElementPtrInst>(&user))
      follow_step(*step, from);
    else if (auto* const memory = dyn_cast<MemIntrinsic>(&user))
      follow_block(*memory, use, from);
    else if (auto* const call = dyn_cast<CallBase>(&user))
      follow_call(*call, use, from);
    else if (isa<PHINode, SelectInst>(user))
      place(user, *from.local, std::nullopt);
    else if (!isa<ICmpInst>(user))
      from.local->escapes = true;
  }

  void follow_load(LoadInst& load, const Place& from) {
    add({&load, from.local, false});
    const Local::Pointer* const pointer = from.offset && *from.offset >= 0 && load.getType()->isPointerTy()
                                              ? from.local->pointer_at(static_cast<std::uint64_t>(*from.offset))
                                              : nullptr;
    if (pointer == nullptr) return from.local->expose(from.offset, size_of(*load.getType()));
    parents_.insert({pointer->target, {from.local, pointer}});
    place(load, *pointer->target, pointer->target_offset);
  }

  void follow_store(StoreInst& store, const Use& use, const Place& to) {
    if (use.getOperandNo() != StoreInst::getPointerOperandIndex()) {
      to.local->escapes = true;
      return;
    }
    add({&store, to.local, true});
    to.local->expose(to.offset, size_of(*store.getValueOperand()->getType()));
  }

  void follow_step(GetElementPtrInst& step, const Place& from) {
    const DataLayout& layout = body_.getParent()->getDataLayout();
    APInt bytes(layout.getIndexTypeSizeInBits(step.getType()), 0);
    const bool is_constant = from.offset && step.accumulateConstantOffset(layout, bytes);
    place(step, *from.local, is_constant ? std::optional(*from.offset + bytes.getSExtValue()) : std::nullopt);
  }

  /// memmove is made by the runtime, which may defer the writes.
  void follow_block(MemIntrinsic& memory, const Use& use, const Place& at) {
    const bool writes = &use == &memory.getRawDestUse();
    if (isa<MemMoveInst>(memory)) {
      at.local->escapes = true;
      return;
    }
    add({&memory, at.local, writes});
    at.local->expose(std::nullopt, 0);
  }

  /// The function that is called reads by way of the runtime.
  void follow_call(CallBase& call, const Use& use, const Place& from) {
    const auto* const intrinsic = dyn_cast<IntrinsicInst>(&call);
    if (intrinsic != nullptr && intrinsic->isAssumeLikeIntrinsic() && intrinsic->getType()->isVoidTy()) return;
    const bool only_reads =
        call.isArgOperand(&use) && argument_uses_.of(call, call.getArgOperandNo(&use)) == ArgumentUse::reads;
    if (!only_reads) from.local->escapes = true;
    from.local->is_read_by_call = true;
    from.local->expose(std::nullopt, 0);
  }

  void add(const Access& access) {
    if (access.instruction->isVolatile()) access.local->escapes = true;  // by way of an entry point
    accesses_.push_back(access);
    if (!access.writes) return;
    access.local->is_written = true;
    if (access.local->bytes > most_bytes_saved) access.local->escapes = true;
  }

  bool leads_only_to(const Instruction& choice, const Local& local) const {
    const auto* const select = dyn_cast<SelectInst>(&choice);
    const auto leads_there = [&](const Value* value) {
      const auto found = places_.find(value);
      return found != places_.end() && found->second.local == &local;
    };
    if (select != nullptr) return leads_there(select->getTrueValue()) && leads_there(select->getFalseValue());
    return all_of(cast<PHINode>(choice).incoming_values(), leads_there);
  }

  std::uint64_t size_of(Type& type) const { return body_.getParent()->getDataLayout().getTypeStoreSize(&type); }

  void save(Local& local) {
    BasicBlock& entry = body_.getEntryBlock();
    IRBuilder<> builder(&entry, entry.getFirstNonPHIOrDbgOrAlloca());
    EntryPoints entry_points(*body_.getParent());
    builder.CreateCall(entry_points.save_local(), {address_of(local, builder), builder.getInt64(local.bytes)});
  }

  /// The way from the closure to the local.
  Value* address_of(Local& local, IRBuilder<>& builder) {
    const Parent& parent = parents_.find(&local)->second;
    if (parent.local == nullptr) return advance(builder, body_.getArg(0), -closure_offset_);
    Value* const holder = address_of(*parent.local, builder);
    auto* const pointer = builder.CreateLoad(
        builder.getPtrTy(), advance(builder, holder, static_cast<std::int64_t>(parent.pointer->offset)));
    mark(*pointer, read_mark);
    return advance(builder, pointer, -parent.pointer->target_offset);
  }

  static Value* advance(IRBuilder<>& builder, Value* pointer, std::int64_t offset) {
    return offset == 0 ? pointer : builder.CreateGEP(builder.getInt8Ty(), pointer, builder.getInt64(offset));
  }

  CallBase& run_;
  Function& body_;
  Local& closure_;
  std::int64_t closure_offset_;
  ArgumentUses& argument_uses_;
  MapVector<const Value*, Place> places_;
  SmallVector<Value*> unvisited_;
  SmallVector<Access> accesses_;
  DenseMap<const Local*, Parent> parents_;
};

/// Runs of plain bodies, by the function that they are in.
MapVector<Function*, SmallVector<CallBase*>> plain_runs(Module& module) {
  MapVector<Function*, SmallVector<CallBase*>> runs;
  for (const StringRef symbol : {run_symbol, run_symbol_of_c}) {
    Function* const run_function = module.getFunction(symbol);
    if (run_function == nullptr) continue;
    for (const Use& use : run_function->uses()) {
      auto* const call = dyn_cast<CallBase>(use.getUser());
      if (call == nullptr || !call->isCallee(&use) || is_clone(*call->getFunction())) continue;
      const Function* const body = body_of_run(*call);
      if (body != nullptr && is_plain_clone(*body)) runs[call->getFunction()].push_back(call);
    }
  }
  return runs;
}

/// The body for this run alone: what is true of its closure need not be true of another's.
Function& body_for(CallBase& run) {
  Function& body = *body_of_run(run);
  if (body.hasLocalLinkage() && body.hasOneUse()) return body;
  ValueToValueMapTy copies;
  Function& own = *CloneFunction(&body, copies);
  own.setLinkage(GlobalValue::InternalLinkage);
  own.setVisibility(GlobalValue::DefaultVisibility);
  own.setComdat(nullptr);
  run.setArgOperand(0, &own);
  return own;
}

void mark_private_locals(ArrayRef<CallBase*> runs, ArgumentUses& argument_uses) {
  FrameLocals locals(runs, runs.front()->getModule()->getDataLayout(), argument_uses);
  SmallVector<TransactionBody> bodies;
  SmallVector<Function*> shared_bodies;
  for (CallBase* const run : runs) {
    const auto closure = locals.find(run->getArgOperand(closure_argument));
    if (!closure) continue;
    shared_bodies.push_back(body_of_run(*run));
    bodies.push_back(TransactionBody(*run, body_for(*run), *closure, argument_uses));
    bodies.back().follow();
  }
  locals.propagate_escapes();
  for (auto [body, shared_body] : zip(bodies, shared_bodies)) {
    body.mark_accesses();
    if (&body.body() == shared_body || body.has_private_accesses()) continue;
    body.run().setArgOperand(0, shared_body);
    body.body().eraseFromParent();
  }
}

}  // namespace

void mark_private_locals(Module& module) {
  ArgumentUses argument_uses;
  for (const auto& [function, runs] : plain_runs(module)) mark_private_locals(runs, argument_uses);
}

bool reads_private_local(const Instruction& access) { return access.hasMetadata(read_mark); }

bool writes_private_local(const Instruction& access) { return access.hasMetadata(write_mark); }

}  // namespace perdure::plugin
