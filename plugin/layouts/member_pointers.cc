#include "layouts/member_pointers.h"

#include <llvm/IR/Constants.h>
#include <llvm/IR/Instructions.h>
#include <llvm/IR/Metadata.h>
#include <llvm/IR/Module.h>
#include <llvm/IR/Operator.h>

#include "layouts/pointers_in_copies.h"

namespace perdure::plugin {

using namespace llvm;

bool is_member_pointer(const Type& type) {
  const auto* const structure = dyn_cast<StructType>(&type);
  return structure != nullptr && structure->isLiteral() && structure->getNumElements() == 2 &&
         structure->getElementType(0)->isIntegerTy(64) && structure->getElementType(1)->isIntegerTy(64);
}

const Value* address_in(const Value* integer) {
  const auto* const conversion = dyn_cast<PtrToIntOperator>(integer);
  return conversion != nullptr ? conversion->getPointerOperand() : nullptr;
}

bool may_be_function(const Value& member_pointer) {
  const auto* const constant = dyn_cast<Constant>(&member_pointer);
  if (constant == nullptr) return true;
  const Constant* const function = constant->getAggregateElement(0U);
  return function == nullptr || !isa<ConstantInt>(function);
}

SmallVector<std::uint64_t> member_pointers_in(Type& type, const DataLayout& layout) {
  return offsets_in(type, layout, is_member_pointer);
}

SmallVector<std::uint64_t> member_pointers_in(const MemTransferInst& copy) {
  constexpr std::uint64_t member_pointer_bytes = 16;
  if (Type* const type = type_of_copy(copy)) return member_pointers_in(*type, copy.getModule()->getDataLayout());
  SmallVector<std::uint64_t> offsets;
  const MDNode* const fields = copy.getMetadata(LLVMContext::MD_tbaa_struct);
  for (unsigned i = 0; fields != nullptr && i + 2 < fields->getNumOperands(); i += 3)
    if (mdconst::extract<ConstantInt>(fields->getOperand(i + 1))->getZExtValue() == member_pointer_bytes)
      offsets.push_back(mdconst::extract<ConstantInt>(fields->getOperand(i))->getZExtValue());
  return offsets;
}

}  // namespace perdure::plugin
