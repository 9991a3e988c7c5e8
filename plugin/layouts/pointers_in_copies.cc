#include "layouts/pointers_in_copies.h"

#include <llvm/Analysis/ValueTracking.h>
#include <llvm/IR/Constants.h>
#include <llvm/IR/GlobalVariable.h>
#include <llvm/IR/Instructions.h>
#include <llvm/IR/Metadata.h>
#include <llvm/IR/Module.h>

namespace perdure::plugin {

using namespace llvm;

namespace {

using Offsets = SmallVector<std::uint64_t>;

void add(Type& type, std::uint64_t at, const DataLayout& layout, IsSought is_sought, Offsets& offsets) {
  if (is_sought(type)) {
    offsets.push_back(at);
  } else if (auto* const array = dyn_cast<ArrayType>(&type)) {
    Type& element = *array->getElementType();
    if (offsets_in(element, layout, is_sought).empty()) return;
    for (std::uint64_t i = 0; i < array->getNumElements(); ++i)
      add(element, at + i * layout.getTypeAllocSize(&element), layout, is_sought, offsets);
  } else if (auto* const structure = dyn_cast<StructType>(&type)) {
    const StructLayout& fields = *layout.getStructLayout(structure);
    for (unsigned i = 0; i < structure->getNumElements(); ++i)
      add(*structure->getElementType(i), at + fields.getElementOffset(i), layout, is_sought, offsets);
  }
}

/// A tag is (base type, accessed type, offset), and a type (name, parent, …): that of any pointer descends from one.
bool is_of_pointer(const MDNode* tag) {
  const MDNode* type = tag->getNumOperands() >= 3 ? dyn_cast<MDNode>(tag->getOperand(1)) : nullptr;
  while (type != nullptr && type->getNumOperands() >= 2) {
    const auto* const name = dyn_cast<MDString>(type->getOperand(0));
    if (name != nullptr && (name->getString() == "any pointer" || name->getString() == "vtable pointer")) return true;
    type = dyn_cast<MDNode>(type->getOperand(1));
  }
  return false;
}

/// Of triples: offset, size, tag.
Offsets pointers_in_fields(const MDNode& fields) {
  Offsets offsets;
  for (unsigned i = 0; i + 2 < fields.getNumOperands(); i += 3)
    if (is_of_pointer(cast<MDNode>(fields.getOperand(i + 2))))
      offsets.push_back(mdconst::extract<ConstantInt>(fields.getOperand(i))->getZExtValue());
  return offsets;
}

Type* type_of_variable(const Value* pointer) {
  const Value* const variable = pointer->stripPointerCasts();
  if (const auto* const local = dyn_cast<AllocaInst>(variable))
    return local->isArrayAllocation() ? nullptr : local->getAllocatedType();
  const auto* const global = dyn_cast<GlobalVariable>(variable);
  return global != nullptr ? global->getValueType() : nullptr;
}

}  // namespace

Offsets offsets_in(Type& type, const DataLayout& layout, IsSought is_sought) {
  Offsets offsets;
  add(type, 0, layout, is_sought, offsets);
  return offsets;
}

Offsets pointers_in(Type& type, const DataLayout& layout) {
  return offsets_in(type, layout, [](const Type& part) { return part.isPointerTy(); });
}

Type* type_of_copy(const MemTransferInst& copy) {
  const DataLayout& layout = copy.getModule()->getDataLayout();
  const auto* const size = dyn_cast<ConstantInt>(copy.getLength());
  for (const Value* const side : {copy.getRawDest(), copy.getRawSource()}) {
    Type* const type = type_of_variable(side);
    if (type != nullptr && size != nullptr && layout.getTypeAllocSize(type) == size->getZExtValue()) return type;
  }
  return nullptr;
}

Offsets pointers_in(const MemTransferInst& copy) {
  if (Type* const type = type_of_copy(copy)) return pointers_in(*type, copy.getModule()->getDataLayout());
  const MDNode* const fields = copy.getMetadata(LLVMContext::MD_tbaa_struct);
  return fields != nullptr ? pointers_in_fields(*fields) : Offsets();
}

}  // namespace perdure::plugin
