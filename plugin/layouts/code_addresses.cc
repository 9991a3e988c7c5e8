#include "layouts/code_addresses.h"

#include <llvm/ADT/STLExtras.h>
#include <llvm/ADT/SmallVector.h>
#include <llvm/ADT/StringExtras.h>
#include <llvm/Analysis/ConstantFolding.h>
#include <llvm/Analysis/ValueTracking.h>
#include <llvm/Analysis/VectorUtils.h>
#include <llvm/IR/Constants.h>
#include <llvm/IR/GlobalAlias.h>
#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/Instructions.h>
#include <llvm/IR/IntrinsicInst.h>

#include <algorithm>
#include <cstdint>
#include <optional>

#include "common/markings.h"
#include "common/runtime_interface.h"
#include "discover/address_taken.h"
#include "discover/call_rules.h"
#include "discover/clone.h"
#include "discover/program_constants.h"
#include "elide/elide.h"
#include "layouts/member_pointers.h"
#include "layouts/pointers_in_copies.h"

namespace perdure::plugin {

using namespace llvm;

namespace {

bool is_code(const Value* object) {
  if (const auto* const function = dyn_cast<Function>(object)) return !function->isIntrinsic();
  const auto* const variable = dyn_cast<GlobalVariable>(object);
  return variable != nullptr && (is_virtual_table(*variable) || is_program_constant(*variable));
}

bool mentions_code(const Constant& constant) {
  if (is_code(&constant)) return true;
  if (isa<GlobalValue>(constant)) return false;
  return any_of(constant.operands(), [](const Use& part) { return mentions_code(*cast<Constant>(part)); });
}

/// What was read from a constant that has code in it, such as the table that a `switch` has become.
bool is_element_of_constant(const Value* object) {
  const auto* const load = dyn_cast<LoadInst>(object);
  const Value* const place =
      load != nullptr ? getUnderlyingObject(load->getPointerOperand(), /*MaxLookup=*/0) : nullptr;
  const auto* const variable = dyn_cast_or_null<GlobalVariable>(place);
  return variable != nullptr && variable->isConstant() && variable->hasInitializer() && !is_virtual_table(*variable) &&
         mentions_code(*variable->getInitializer());
}

bool is_translated(const Value* value) {
  const auto* const call = dyn_cast<CallBase>(value);
  const Function* const callee = call != nullptr ? callee_of(*call) : nullptr;
  return callee != nullptr && callee->getName() == code_address_symbol;
}

/// A local or a new block.
bool is_of_transaction(const Value* object) {
  const auto* const call = dyn_cast<CallBase>(object);
  return isa<AllocaInst>(object) || (call != nullptr && call->hasRetAttr(Attribute::NoAlias));
}

bool comes_from_elsewhere(const Value* object) {
  return !isa<Constant>(object) && !is_of_transaction(object) && !is_translated(object);
}

/// Whether the pointer may be anything, also of the program.
bool may_lead_to_code(const Value* pointer) {
  SmallVector<const Value*, 4> objects;
  getUnderlyingObjects(pointer, objects, /*LI=*/nullptr, /*MaxLookup=*/0);
  return any_of(objects, [](const Value* object) { return is_code(object) || comes_from_elsewhere(object); });
}

class Translation {
 public:
  explicit Translation(Function& clone) : entry_points_(*clone.getParent()) {}

  Value* of(IRBuilder<>& builder, Value* place, Value* value) {
    return builder.CreateCall(entry_points_.code_address(), {place, value});
  }

  void translate(StoreInst& store) {
    IRBuilder<> builder(&store);
    store.setOperand(0, of(builder, store.getPointerOperand(), store.getValueOperand()));
    store.setMetadata(LLVMContext::MD_invariant_group, nullptr);
  }

  /// A pointer to a member function, or the integer that is its first half.
  void translate_member_pointer(StoreInst& store) {
    IRBuilder<> builder(&store);
    Value* const value = store.getValueOperand();
    const bool is_whole = is_member_pointer(*value->getType());
    Value* const integer = is_whole ? builder.CreateExtractValue(value, 0) : value;
    Value* const address = of(builder, store.getPointerOperand(), builder.CreateIntToPtr(integer, builder.getPtrTy()));
    Value* const translated = builder.CreatePtrToInt(address, builder.getInt64Ty());
    store.setOperand(0, is_whole ? builder.CreateInsertValue(value, translated, 0) : translated);
  }

  /// The optimiser has put neighbours together.
  void translate_elements(StoreInst& store) {
    auto* const type = dyn_cast<FixedVectorType>(store.getValueOperand()->getType());
    if (type == nullptr || !type->getElementType()->isPointerTy()) return;
    IRBuilder<> builder(&store);
    Value* values = store.getValueOperand();
    for (unsigned i = 0; i < type->getNumElements(); ++i) {
      Value* const known = findScalarElement(store.getValueOperand(), i);
      if (known != nullptr && !may_lead_to_code(known)) continue;
      Value* const value = known != nullptr ? known : builder.CreateExtractElement(values, i);
      Value* const place = builder.CreateConstInBoundsGEP1_64(type->getElementType(), store.getPointerOperand(), i);
      values = builder.CreateInsertElement(values, of(builder, place, value), i);
    }
    store.setOperand(0, values);
  }

  /// Behind a copy of a constant, those pointers in it that lead to code are stored once more. \returns whether it is
  /// one.
  bool translate_constants_in(MemTransferInst& copy) {
    const auto* const variable = dyn_cast<GlobalVariable>(getUnderlyingObject(copy.getRawSource()));
    if (variable == nullptr || !variable->isConstant() || !variable->hasInitializer()) return false;
    const DataLayout& layout = copy.getModule()->getDataLayout();
    APInt begin(64, 0);
    const Value* const base = copy.getRawSource()->stripAndAccumulateConstantOffsets(layout, begin, true);
    const auto* const size = dyn_cast<ConstantInt>(copy.getLength());
    if (base != variable || size == nullptr) return false;
    IRBuilder<> builder(copy.getNextNode());
    builder.SetCurrentDebugLocation(copy.getDebugLoc());
    for (const std::uint64_t offset : pointers_in(*variable->getValueType(), layout)) {
      const std::uint64_t in_copy = offset - begin.getZExtValue();
      if (in_copy >= size->getZExtValue()) continue;
      Constant* const value = ConstantFoldLoadFromConst(const_cast<Constant*>(variable->getInitializer()),
                                                        builder.getPtrTy(), APInt(64, offset), layout);
      if (value == nullptr || !leads_to_code(value)) continue;
      Value* const place = builder.CreateConstInBoundsGEP1_64(builder.getInt8Ty(), copy.getRawDest(), in_copy);
      builder.CreateAlignedStore(of(builder, place, value), place, Align(1));
    }
    return true;
  }

  /// The same for pointers in a copy that are not known.
  void translate_words_in(MemTransferInst& copy, ArrayRef<std::uint64_t> offsets) {
    IRBuilder<> builder(copy.getNextNode());
    builder.SetCurrentDebugLocation(copy.getDebugLoc());
    for (const std::uint64_t offset : offsets) {
      const auto at = [&](Value* side) {
        return builder.CreateConstInBoundsGEP1_64(builder.getInt8Ty(), side, offset);
      };
      Value* const value = builder.CreateAlignedLoad(builder.getPtrTy(), at(copy.getRawSource()), Align(1));
      Value* const place = at(copy.getRawDest());
      builder.CreateAlignedStore(of(builder, place, value), place, Align(1));
    }
  }

  /// From elsewhere a pointer to anything may come. Most copies are within pools, which the runtime sees at once.
  void announce_pointers_in(MemTransferInst& copy) {
    const std::uint64_t words = pointer_words_in(copy);
    if (words == 0) return;
    IRBuilder<> builder(copy.getNextNode());
    builder.SetCurrentDebugLocation(copy.getDebugLoc());
    builder.CreateCall(entry_points_.copied_pointers(),
                       {copy.getRawDest(), copy.getRawSource(), builder.getInt64(words)});
  }

 private:
  /// A bit for each of the first words. At -O0 nothing says which of them are pointers, so all may be.
  static std::uint64_t pointer_words_in(const MemTransferInst& copy) {
    constexpr std::uint64_t word_bytes = 8;
    constexpr std::uint64_t most_words = 64;
    const auto* const size = dyn_cast<ConstantInt>(copy.getLength());
    if (size == nullptr || copy.getDestAlign().valueOrOne().value() < word_bytes) return 0;
    const std::uint64_t bytes = std::min(size->getZExtValue(), most_words * word_bytes);
    std::uint64_t words = 0;
    for (const auto& offsets : {pointers_in(copy), member_pointers_in(copy)})
      for (const std::uint64_t offset : offsets)
        if (offset % word_bytes == 0 && offset < bytes) words |= std::uint64_t{1} << (offset / word_bytes);
    if (words == 0 && copy.getFunction()->hasOptNone())
      for (std::uint64_t word = 0; word < bytes / word_bytes; ++word) words |= std::uint64_t{1} << word;
    return words;
  }

  EntryPoints entry_points_;
};

// -- what is passed on, early -----------------------------------------------------------------------------------------

StringRef name_of_type(const Metadata* type) {
  const auto* const node = dyn_cast_or_null<MDNode>(type);
  const auto* const name =
      node != nullptr && node->getNumOperands() > 0 ? dyn_cast<MDString>(node->getOperand(0)) : nullptr;
  return name != nullptr ? name->getString() : StringRef();
}

/// The base type of an access, the accessed one, and where in it; null where there is no such metadata.
const MDNode* tag_of_access(const Instruction& access) {
  const MDNode* const tag = access.getMetadata(LLVMContext::MD_tbaa);
  return tag != nullptr && tag->getNumOperands() >= 3 ? tag : nullptr;
}

/// The type whose member is accessed, as metadata names it; empty when it says nothing of one. \returns nothing where
/// there is no metadata.
std::optional<StringRef> type_of_access(const Instruction& access) {
  const MDNode* const tag = tag_of_access(access);
  if (tag == nullptr) return std::nullopt;
  const bool is_member = tag->getOperand(0) != tag->getOperand(1);
  return is_member ? name_of_type(tag->getOperand(0)) : StringRef();
}

/// `M <class> F <types> E`, as in std::bind<void (C::*)()>; other symbols may have the same letters.
bool may_name_member_pointer(StringRef symbol) {
  for (std::size_t at = symbol.find('M'); at != StringRef::npos; at = symbol.find('M', at + 1)) {
    const StringRef type = symbol.drop_front(at + 1);
    if (!type.empty() && (isDigit(type.front()) || type.front() == 'N' || type.front() == 'S'))
      return type.contains('F');
  }
  return false;
}

/// std::swap<void (*)()>: its symbol names the type of a pointer to a function, or of a reference.
bool is_template_of_code(const Function& clone) {
  const StringRef symbol = clone.getName();
  return symbol.contains("PF") || symbol.contains("RF") || may_name_member_pointer(symbol);
}

/// Without metadata, as at -O0, any store in a file that has types which hold code.
bool may_pass_code(const StoreInst& store, const CodeHolders* holders) {
  const auto type = type_of_access(store);
  if (type && !type->empty()) return holders != nullptr && holders->names.contains(*type);
  if (is_template_of_code(*store.getFunction())) return true;
  return !type && holders != nullptr && !holders->names.empty();
}

/// What is known of the type of a half of a pointer to a member function is the type that it is in.
bool may_pass_half(const StoreInst& store, const CodeHolders* holders) {
  const MDNode* const tag = tag_of_access(store);
  if (tag == nullptr || name_of_type(tag->getOperand(1)) != "omnipotent char") return false;
  return type_of_access(store)->empty() ? may_name_member_pointer(store.getFunction()->getName())
                                        : may_pass_code(store, holders);
}

bool may_pass_member_pointer(const StoreInst& store, const CodeHolders* holders) {
  const Value& value = *store.getValueOperand();
  if (is_member_pointer(*value.getType())) return may_be_function(value);
  return value.getType()->isIntegerTy(64) && !isa<Constant>(value) && may_pass_half(store, holders);
}

/// A place, or what an allocation returned, is no function.
bool is_certainly_data(const Value* pointer) {
  return isa<Constant>(pointer) || isa<GetElementPtrInst>(pointer) || is_of_transaction(pointer);
}

bool is_holder(const StructType& type, const CodeHolders& holders) {
  if (!type.hasName()) return false;
  StringRef name = type.getName();
  name = name.drop_front(name.find('.') + 1);
  // Several of one name: `C.12`
  const auto [stem, number] = name.rsplit('.');
  const bool is_numbered = !number.empty() && all_of(number, [](char digit) { return digit >= '0' && digit <= '9'; });
  return holders.structures.contains(is_numbered ? stem : name);
}

/// Of a local or a member; null otherwise.
StructType* structure_at(const Value* place) {
  if (const auto* const local = dyn_cast<AllocaInst>(place)) return dyn_cast<StructType>(local->getAllocatedType());
  const auto* const member = dyn_cast<GEPOperator>(place);
  return member != nullptr ? dyn_cast<StructType>(member->getResultElementType()) : nullptr;
}

/// std::function of libstdc++ keeps small functors, such as pointers to functions, in a union of 16 bytes, and copies
/// those as they are.
bool is_of_small_functor(const MemTransferInst& copy) {
  constexpr std::uint64_t bytes = 16;
  constexpr StringLiteral holders[] = {
#define PERDURE_FUNCTOR_HOLDER(part) part,
#include "common/symbols.def"
  };
  const auto* const size = dyn_cast<ConstantInt>(copy.getLength());
  const StringRef symbol = copy.getFunction()->getName();
  return size != nullptr && size->getZExtValue() == bytes &&
         any_of(holders, [&](StringRef holder) { return symbol.contains(holder); });
}

/// Of a copy of what is neither a local nor a member, such as that of a functor into a new block. In a template of code
/// of which nothing is known, all words.
SmallVector<std::uint64_t> code_in_unknown(const MemTransferInst& copy) {
  constexpr std::uint64_t word_bytes = 8;
  constexpr std::uint64_t most_bytes = 64;
  if (copy.hasMetadata(LLVMContext::MD_tbaa_struct)) return member_pointers_in(copy);
  const auto* const size = dyn_cast<ConstantInt>(copy.getLength());
  SmallVector<std::uint64_t> words;
  if (type_of_copy(copy) != nullptr || size == nullptr || size->getZExtValue() > most_bytes ||
      !is_template_of_code(*copy.getFunction()) || copy.getDestAlign().valueOrOne().value() < word_bytes)
    return words;
  for (std::uint64_t at = 0; at + word_bytes <= size->getZExtValue(); at += word_bytes) words.push_back(at);
  return words;
}

/// Where words in a copy may be code.
SmallVector<std::uint64_t> code_in(const MemTransferInst& copy, const CodeHolders* holders) {
  if (is_of_small_functor(copy)) return {0, 8};
  const DataLayout& layout = copy.getModule()->getDataLayout();
  const auto* const size = dyn_cast<ConstantInt>(copy.getLength());
  for (const Value* const side : {copy.getRawSource(), copy.getRawDest()}) {
    StructType* const type = structure_at(side);
    if (type == nullptr || holders == nullptr || !is_holder(*type, *holders)) continue;
    if (size == nullptr || layout.getTypeAllocSize(type) != size->getZExtValue()) continue;
    auto offsets = pointers_in(*type, layout);
    offsets.append(member_pointers_in(*type, layout));
    return offsets;
  }
  return code_in_unknown(copy);
}

bool is_in_frame(const Value* place) { return isa<AllocaInst>(getUnderlyingObject(place)); }

void translate_passed_code(Function& clone, const CodeHolders* holders) {
  SmallVector<StoreInst*> stores;
  SmallVector<StoreInst*> member_pointers;
  SmallVector<std::pair<MemTransferInst*, SmallVector<std::uint64_t>>> copies;
  for (Instruction& instruction : instructions(clone)) {
    if (auto* const store = dyn_cast<StoreInst>(&instruction)) {
      if (is_in_frame(store->getPointerOperand())) continue;
      const bool is_pointer = store->getValueOperand()->getType()->isPointerTy();
      if (is_pointer && !is_certainly_data(store->getValueOperand()) && may_pass_code(*store, holders))
        stores.push_back(store);
      else if (!is_pointer && may_pass_member_pointer(*store, holders))
        member_pointers.push_back(store);
    } else if (auto* const copy = dyn_cast<MemTransferInst>(&instruction)) {
      if (!is_in_frame(copy->getRawDest())) copies.push_back({copy, code_in(*copy, holders)});
    }
  }
  if (stores.empty() && member_pointers.empty() && copies.empty()) return;
  Translation translation(clone);
  for (StoreInst* const store : stores) translation.translate(*store);
  for (StoreInst* const store : member_pointers) translation.translate_member_pointer(*store);
  for (const auto& [copy, offsets] : copies) translation.translate_words_in(*copy, offsets);
}

}  // namespace

bool leads_to_code(const Value* pointer) {
  SmallVector<const Value*, 4> objects;
  getUnderlyingObjects(pointer, objects, /*LI=*/nullptr, /*MaxLookup=*/0);
  return any_of(objects, [](const Value* object) { return is_code(object) || is_element_of_constant(object); });
}

void translate_passed_code(Module& module, const CodeHolders* holders) {
  for (Function& function : module)
    if (!function.isDeclaration() && is_plain_clone(function)) translate_passed_code(function, holders);
}

void translate_constant_code(Function& clone) {
  SmallVector<StoreInst*> stores;
  SmallVector<MemTransferInst*> copies;
  for (Instruction& instruction : instructions(clone)) {
    if (auto* const store = dyn_cast<StoreInst>(&instruction);
        store != nullptr && !is_certainly_volatile(store->getPointerOperand()))
      stores.push_back(store);
    if (auto* const copy = dyn_cast<MemTransferInst>(&instruction);
        copy != nullptr && !is_certainly_volatile(copy->getRawDest()))
      copies.push_back(copy);
  }
  Translation translation(clone);
  for (StoreInst* const store : stores) {
    Type* const type = store->getValueOperand()->getType();
    if (type->isVectorTy())
      translation.translate_elements(*store);
    else if (type->isPointerTy() && leads_to_code(store->getValueOperand()))
      translation.translate(*store);
    else if (const Value* const address = address_in(store->getValueOperand());
             address != nullptr && type->isIntegerTy(64) && leads_to_code(address))
      translation.translate_member_pointer(*store);
  }
  for (MemTransferInst* const copy : copies)
    if (!translation.translate_constants_in(*copy)) translation.announce_pointers_in(*copy);
}

void translate_direct_stores(ArrayRef<Instruction*> writes) {
  for (Instruction* const write : writes) {
    auto* const store = dyn_cast<StoreInst>(write);
    if (store == nullptr || !store->getValueOperand()->getType()->isPointerTy()) continue;
    if (may_lead_to_code(store->getValueOperand())) Translation(*store->getFunction()).translate(*store);
  }
}

}  // namespace perdure::plugin
