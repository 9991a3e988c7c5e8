#include "layouts/self_relative.h"

#include <llvm/ADT/STLExtras.h>
#include <llvm/Analysis/ValueTracking.h>
#include <llvm/IR/DebugInfoMetadata.h>
#include <llvm/IR/GlobalVariable.h>
#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/IntrinsicInst.h>
#include <llvm/Transforms/Utils/ModuleUtils.h>

#include "common/diagnose.h"
#include "common/runtime_interface.h"
#include "layouts/pointers_in_copies.h"

namespace perdure::plugin {

using namespace llvm;

namespace {

/// As rows of the table of clones are added: before constructors of the program.
constexpr int priority = 50;

constexpr StringLiteral module_flag = "perdure.self_relative";
constexpr StringLiteral compiled_prefixes[] = {
#define PERDURE_COMPILED_NODES(prefix) prefix,
#include "common/symbols.def"
};

bool is_variable(const Value* pointer) {
  const Value* const object = getUnderlyingObject(pointer);
  return isa<AllocaInst>(object) || isa<GlobalVariable>(object);
}

class Rewriting {
 public:
  explicit Rewriting(Module& module) : entry_points_(module), pointer_(PointerType::getUnqual(module.getContext())) {}

  void rewrite(Instruction& instruction) {
    if (auto* const load = dyn_cast<LoadInst>(&instruction))
      rewrite(*load);
    else if (auto* const store = dyn_cast<StoreInst>(&instruction))
      rewrite(*store);
    else if (auto* const copy = dyn_cast<MemTransferInst>(&instruction))
      rewrite(*copy);
    else if (auto* const call = dyn_cast<CallBase>(&instruction))
      copy_values(*call);
  }

 private:
  void rewrite(LoadInst& load) {
    if (!concerns(load.getType(), load.getPointerOperand())) return;
    // They speak of the value, not of what is stored.
    for (const auto kind : {LLVMContext::MD_nonnull, LLVMContext::MD_align, LLVMContext::MD_dereferenceable,
                            LLVMContext::MD_dereferenceable_or_null, LLVMContext::MD_invariant_group})
      load.setMetadata(kind, nullptr);
    IRBuilder<> builder(load.getNextNode());
    builder.SetCurrentDebugLocation(load.getDebugLoc());
    Value* const value = decode(builder, &load, load.getPointerOperand());
    load.replaceUsesWithIf(value, [&](const Use& use) { return use.getUser() != value; });
  }

  void rewrite(StoreInst& store) {
    if (!concerns(store.getValueOperand()->getType(), store.getPointerOperand())) return;
    IRBuilder<> builder(&store);
    store.setOperand(0, encode(builder, store.getValueOperand(), store.getPointerOperand()));
    store.setMetadata(LLVMContext::MD_invariant_group, nullptr);
  }

  /// The bytes are copied as they are; then each pointer is put right. What overlaps is the same on both sides, or is
  /// read before.
  void rewrite(MemTransferInst& copy) {
    const auto offsets = pointers_in(copy);
    if (offsets.empty() || (is_variable(copy.getRawDest()) && is_variable(copy.getRawSource()))) return;
    put_right(copy.getRawDest(), copy.getRawSource(), offsets, copy, copy.getNextNode());
    copy.setMetadata(LLVMContext::MD_tbaa_struct, nullptr);
  }

  /// What is passed by value is copied to where a pointer in it means something else.
  void copy_values(CallBase& call) {
    const DataLayout& layout = call.getModule()->getDataLayout();
    for (unsigned i = 0; i < call.arg_size(); ++i) {
      if (!call.isByValArgument(i) || is_variable(call.getArgOperand(i))) continue;
      Type& type = *call.getParamByValType(i);
      const auto offsets = pointers_in(type, layout);
      if (offsets.empty()) continue;
      BasicBlock& entry = call.getFunction()->getEntryBlock();
      AllocaInst* const local = IRBuilder<>(&entry, entry.getFirstInsertionPt()).CreateAlloca(&type);
      if (const auto alignment = call.getParamAlign(i)) local->setAlignment(std::max(*alignment, local->getAlign()));
      IRBuilder<> builder(&call);
      builder.CreateMemCpy(local, local->getAlign(), call.getArgOperand(i), call.getParamAlign(i),
                           layout.getTypeAllocSize(&type).getFixedValue());
      put_right(local, call.getArgOperand(i), offsets, call, &call);
      call.setArgOperand(i, local);
    }
  }

  /// Reads the pointers before `copy`, and writes them before `after`.
  void put_right(Value* to, Value* from, ArrayRef<std::uint64_t> offsets, Instruction& copy, Instruction* after) {
    IRBuilder<> before(&copy), behind(after);
    behind.SetCurrentDebugLocation(copy.getDebugLoc());
    for (const std::uint64_t offset : offsets) {
      Value* const source = before.CreateConstInBoundsGEP1_64(before.getInt8Ty(), from, offset);
      Value* value = before.CreateAlignedLoad(pointer_, source, Align(1));
      if (!is_variable(from)) value = decode(before, value, source);
      Value* const target = behind.CreateConstInBoundsGEP1_64(behind.getInt8Ty(), to, offset);
      if (!is_variable(to)) value = encode(behind, value, target);
      behind.CreateAlignedStore(value, target, Align(1));
    }
  }

  bool concerns(const Type* type, const Value* place) const { return type->isPointerTy() && !is_variable(place); }

  Value* decode(IRBuilder<>& builder, Value* stored, Value* place) {
    return &with_location(*builder.CreateCall(entry_points_.decode_pointer(), {stored, place}));
  }
  Value* encode(IRBuilder<>& builder, Value* value, Value* place) {
    return &with_location(*builder.CreateCall(entry_points_.encode_pointer(), {value, place}));
  }

  EntryPoints entry_points_;
  Type* pointer_;
};

/// Tells the library when the file is loaded.
void announce(Module& module) {
  EntryPoints entry_points(module);
  auto* const type = FunctionType::get(Type::getVoidTy(module.getContext()), /*isVarArg=*/false);
  Function* const announcement = Function::createWithDefaultAttr(type, GlobalValue::InternalLinkage,
                                                                 module.getDataLayout().getProgramAddressSpace(),
                                                                 "perdure.self_relative", &module);
  IRBuilder<> builder(BasicBlock::Create(module.getContext(), "", announcement));
  builder.CreateCall(entry_points.use_self_relative_pointers());
  builder.CreateRetVoid();
  appendToGlobalCtors(module, announcement, priority);
}

}  // namespace

void make_pointers_self_relative(Module& module) {
  Rewriting rewriting(module);
  for (Function& function : module) {
    SmallVector<Instruction*> accesses;
    for (Instruction& instruction : instructions(function)) accesses.push_back(&instruction);
    for (Instruction* const access : accesses) rewriting.rewrite(*access);
  }
  announce(module);
  module.addModuleFlag(Module::Max, module_flag, 1);
}

bool follows_native_pointers(const Instruction& instruction) {
  const auto* const call = dyn_cast<CallBase>(&instruction);
  const Function* const callee = call != nullptr ? call->getCalledFunction() : nullptr;
  return callee != nullptr && instruction.getModule()->getModuleFlag(module_flag) != nullptr &&
         any_of(compiled_prefixes, [&](StringRef prefix) { return callee->getName().starts_with(prefix); });
}

}  // namespace perdure::plugin
