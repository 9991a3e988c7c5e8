#include "instrument/checks.h"

#include <llvm/ADT/STLExtras.h>
#include <llvm/Analysis/ValueTracking.h>
#include <llvm/Demangle/Demangle.h>
#include <llvm/IR/DebugInfoMetadata.h>
#include <llvm/IR/InstIterator.h>

#include "common/library_functions.h"
#include "common/markings.h"
#include "discover/call_rules.h"
#include "elide/elide.h"
#include "layouts/pointers_in_copies.h"

namespace perdure::plugin {

using namespace llvm;

namespace {

constexpr StringLiteral runtime_prefix = "perdure";
constexpr StringLiteral cxx_prefix = "_Z";
constexpr StringLiteral free_prefixes[] = {"_Zdl", "_Zda"};

bool starts_with_any(StringRef symbol, ArrayRef<StringLiteral> prefixes) {
  return any_of(prefixes, [&](StringRef prefix) { return symbol.starts_with(prefix); });
}

/// Of the headers of the compiler and of libraries, which the programmer did not write.
bool is_in_library(const DILocation& location) {
  const StringRef file = location.getFilename();
  return file.contains("/include/c++/") || file.starts_with("/usr/") || file.contains("include/perdure/");
}

/// Containers outside of transactions put nodes right that a transaction has made for them.
bool is_left_to_containers(const Instruction& access) {
  const DILocation* const location = access.getDebugLoc();
  return !is_clone(*access.getFunction()) && location != nullptr && is_in_library(*location);
}

/// Where the programmer wrote what became the instruction: of the functions that were inlined there, the innermost one
/// that is the program's own.
const DILocation* location_of(const Instruction& instruction) {
  const DILocation* const innermost = instruction.getDebugLoc();
  for (const DILocation* location = innermost; location != nullptr; location = location->getInlinedAt())
    if (!is_in_library(*location)) return location;
  return innermost;
}

std::string name_of(const DISubprogram& function) {
  StringRef symbol = function.getLinkageName();
  if (symbol.empty()) return function.getName().str();
  symbol.consume_front(clone_symbol(""));
  return demangle(symbol);
}

std::string describe(const Instruction& instruction) {
  const DILocation* const location = location_of(instruction);
  if (location == nullptr || location->getLine() == 0)
    return place({}) + ", in '" + source_name(*instruction.getFunction()) + "'";
  // Of a function that was inlined, the symbol is known with debug information only.
  const DISubprogram* const function = location->getScope()->getSubprogram();
  const bool is_inlined = location->getInlinedAt() != nullptr && function != nullptr;
  const std::string name = is_inlined ? name_of(*function) : source_name(*instruction.getFunction());
  return place(point_of(DebugLoc(location))) + ", in '" + name + "'";
}

/// The pointer that is stored, also where it is stored as a number.
Value* stored_pointer(StoreInst& store) {
  Value* const value = store.getValueOperand();
  if (value->getType()->isPointerTy()) return value;
  const auto* const cast = dyn_cast<Operator>(value);
  return cast != nullptr && cast->getOpcode() == Instruction::PtrToInt ? cast->getOperand(0) : nullptr;
}

bool is_null(const Value* pointer) { return isa<ConstantPointerNull>(pointer) || isa<UndefValue>(pointer); }

}  // namespace

Constant* Checks::place_of(const Instruction& instruction) {
  const std::string text = describe(instruction);
  Constant*& known = places_[text];
  if (known == nullptr) {
    Constant* const bytes = ConstantDataArray::getString(module_.getContext(), text);
    auto* const variable = new GlobalVariable(module_, bytes->getType(), /*isConstant=*/true,
                                              GlobalValue::PrivateLinkage, bytes, "perdure.place");
    variable->setUnnamedAddr(GlobalValue::UnnamedAddr::Global);
    known = variable;
  }
  return known;
}

void Checks::check_access(IRBuilder<>& builder, Value* address, Value* bytes) {
  if (!is_certainly_volatile(address))
    builder.CreateCall(entry_points_.check_access(), {address, bytes, place_of(*builder.GetInsertPoint())});
}

void Checks::check_access(Instruction& access, Value* address, Type* type) {
  IRBuilder<> builder(&access);
  check_access(builder, address, builder.getInt64(module_.getDataLayout().getTypeStoreSize(type).getKnownMinValue()));
}

void Checks::check_pointer(IRBuilder<>& builder, Value* address, Value* value) {
  builder.CreateCall(entry_points_.check_pointer(), {address, value, place_of(*builder.GetInsertPoint())});
}

void Checks::check_store(StoreInst& store) {
  Value* const address = store.getPointerOperand();
  check_access(store, address, store.getValueOperand()->getType());
  if (is_certainly_volatile(address) || is_left_to_containers(store)) return;
  IRBuilder<> builder(&store);
  if (Value* const pointer = stored_pointer(store); pointer != nullptr && !is_null(pointer))
    return check_pointer(builder, address, pointer);
  if (store.getValueOperand()->getType()->isIntegerTy(64))
    builder.CreateCall(entry_points_.check_word(), {address, store.getValueOperand()});
  // The optimiser may have put neighbours together.
  const auto* const vector = dyn_cast<FixedVectorType>(store.getValueOperand()->getType());
  if (vector == nullptr || !vector->getElementType()->isPointerTy()) return;
  for (unsigned i = 0; i < vector->getNumElements(); ++i)
    check_pointer(builder, builder.CreateConstGEP1_32(vector->getElementType(), address, i),
                  builder.CreateExtractElement(store.getValueOperand(), i));
}

void Checks::check_copy(MemTransferInst& copy, SmallVectorImpl<Instruction*>& reads) {
  IRBuilder<> before(&copy);
  Value* const bytes = before.CreateZExtOrTrunc(copy.getLength(), before.getInt64Ty());
  check_access(before, copy.getRawSource(), bytes);
  check_access(before, copy.getRawDest(), bytes);
  if (is_certainly_volatile(copy.getRawDest()) || is_left_to_containers(copy)) return;
  if (!is_certainly_volatile(copy.getRawSource()))
    before.CreateCall(entry_points_.check_linked(), {copy.getRawDest(), copy.getRawSource()});
  IRBuilder<> behind(copy.getNextNode());
  behind.SetCurrentDebugLocation(copy.getDebugLoc());
  for (const std::uint64_t offset : pointers_in(copy)) {
    Value* const place = behind.CreateConstInBoundsGEP1_64(behind.getInt8Ty(), copy.getRawDest(), offset);
    LoadInst* const read = behind.CreateAlignedLoad(behind.getPtrTy(), place, Align(1));
    reads.push_back(read);
    behind.CreateCall(entry_points_.check_pointer(), {place, read, place_of(copy)});
  }
}

/// A call that frees, in a transaction or outside: it gets null where there is nothing to be freed; in one, calls of
/// library functions that are given pointers as well.
void Checks::check_call(CallBase& call) {
  const Function* const callee = callee_of(call);
  if (callee == nullptr || callee->isIntrinsic() || call.arg_empty()) return;
  const StringRef symbol = callee->getName();
  IRBuilder<> builder(&call);
  const bool in_clone = is_clone(*call.getFunction());
  const bool is_of_c = symbol == "free" || symbol == "realloc";
  if (starts_with_any(symbol, free_prefixes) || is_of_c) {
    call.setArgOperand(0, builder.CreateCall(entry_points_.check_free(), {call.getArgOperand(0), place_of(call)}));
  } else if (in_clone && rule_for(call) == CallRule::provided) {
    check_arguments(call);
  }
}

/// Functions of the libraries that are not checked themselves link nodes of trees and lists.
void Checks::check_arguments(CallBase& call) {
  IRBuilder<> builder(&call);
  const StringRef symbol = callee_of(call)->getName();
  const bool may_link = symbol.starts_with(cxx_prefix) || may_store_pointers(symbol);
  Value* first = nullptr;
  for (Value* const argument : call.args()) {
    if (!argument->getType()->isPointerTy() || is_certainly_volatile(argument)) continue;
    check_access(builder, argument, builder.getInt64(1));
    if (may_link && first != nullptr) {
      builder.CreateCall(entry_points_.check_linked(), {first, argument});
      builder.CreateCall(entry_points_.check_linked(), {argument, first});
    }
    first = argument;
  }
}

void Checks::check(Instruction& instruction, SmallVectorImpl<Instruction*>& reads) {
  if (auto* const store = dyn_cast<StoreInst>(&instruction))
    check_store(*store);
  else if (auto* const load = dyn_cast<LoadInst>(&instruction))
    check_access(*load, load->getPointerOperand(), load->getType());
  else if (auto* const update = dyn_cast<AtomicRMWInst>(&instruction))
    check_access(*update, update->getPointerOperand(), update->getType());
  else if (auto* const exchange = dyn_cast<AtomicCmpXchgInst>(&instruction))
    check_access(*exchange, exchange->getPointerOperand(), exchange->getNewValOperand()->getType());
  else if (auto* const copy = dyn_cast<MemTransferInst>(&instruction))
    check_copy(*copy, reads);
  else if (auto* const set = dyn_cast<MemSetInst>(&instruction)) {
    IRBuilder<> builder(set);
    check_access(builder, set->getRawDest(), builder.CreateZExtOrTrunc(set->getLength(), builder.getInt64Ty()));
  } else if (auto* const call = dyn_cast<CallBase>(&instruction))
    check_call(*call);
}

void Checks::check_function(Function& function) {
  SmallVector<Instruction*> accesses, reads;
  for (Instruction& instruction : instructions(function)) accesses.push_back(&instruction);
  for (Instruction* const access : accesses) check(*access, reads);
}

void Checks::begin_checked(StringRef symbol, FunctionCallee checked) {
  Function* const run = module_.getFunction(symbol);
  if (run == nullptr) return;
  run->replaceUsesWithIf(checked.getCallee(), [](const Use& use) {
    const auto* const call = dyn_cast<CallBase>(use.getUser());
    return call != nullptr && call->isCallee(&use);
  });
}

void Checks::check_outside_of_transactions() {
  for (Function& function : module_) {
    const bool is_compiled = !function.isDeclaration() && !function.hasAvailableExternallyLinkage() &&
                             !function.hasFnAttribute(Attribute::Naked) &&
                             !function.hasFnAttribute(Attribute::DisableSanitizerInstrumentation);
    if (is_compiled && !is_clone(function) && !function.getName().starts_with(runtime_prefix)) check_function(function);
  }
  begin_checked(run_symbol, entry_points_.run_checked());
  begin_checked(run_symbol_of_c, entry_points_.transaction_checked());
  begin_checked(run_serial_symbol, entry_points_.run_serial_checked());
  begin_checked(run_serial_symbol_of_c, entry_points_.serial_transaction_checked());
}

}  // namespace perdure::plugin
