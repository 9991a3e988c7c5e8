#include "runtime_interface.h"

#include <llvm/ADT/StringSet.h>

#include <cstdint>
#include <type_traits>

namespace perdure::plugin {

using namespace llvm;

namespace {

constexpr StringLiteral clone_prefix = "perdure_tm_";

template <class T>
Type* ir_type(LLVMContext& context) {
  if constexpr (std::is_pointer_v<T>)
    return PointerType::getUnqual(context);
  else if constexpr (std::is_same_v<T, float>)
    return Type::getFloatTy(context);
  else if constexpr (std::is_same_v<T, double>)
    return Type::getDoubleTy(context);
  else
    return IntegerType::get(context, sizeof(T) * 8);
}

/// Empty when the type has no entry points of its own.
StringRef suffix_of(Type* type) {
  LLVMContext& context = type->getContext();
#define PERDURE_TYPE(suffix, cxx_type) \
  if (type == ir_type<cxx_type>(context)) return #suffix;
#include "abi/types.def"
  return {};
}

}  // namespace

std::string clone_symbol(StringRef symbol) { return (clone_prefix + symbol).str(); }

bool is_clone_symbol(StringRef symbol) { return symbol.starts_with(clone_prefix); }

bool is_provided(StringRef symbol) {
  static const StringSet<> provided = {
#define PERDURE_PROVIDED(symbol) #symbol,
#include "abi/provided.def"
  };
  return provided.contains(symbol);
}

bool is_entry_point(StringRef symbol) {
  static const StringSet<> entry_points = {
#define PERDURE_TYPE(suffix, cxx_type) "perdure_read_" #suffix, "perdure_write_" #suffix,
#include "abi/types.def"
      "perdure_read_bytes", "perdure_write_bytes", "perdure_memcpy", "perdure_memmove", "perdure_memset",
  };
  return entry_points.contains(symbol);
}

bool has_own_entry_points(Type* type) { return !suffix_of(type).empty(); }

FunctionCallee EntryPoints::declare(StringRef name, Type* result, ArrayRef<Type*> parameters) {
  const auto attributes = AttributeList().addFnAttribute(module_.getContext(), Attribute::NoUnwind);
  return module_.getOrInsertFunction(name, FunctionType::get(result, parameters, /*isVarArg=*/false), attributes);
}

FunctionCallee EntryPoints::read(Type* type) {
  Type* const pointer = PointerType::getUnqual(module_.getContext());
  return declare(("perdure_read_" + suffix_of(type)).str(), type, {pointer});
}

FunctionCallee EntryPoints::write(Type* type) {
  Type* const pointer = PointerType::getUnqual(module_.getContext());
  return declare(("perdure_write_" + suffix_of(type)).str(), Type::getVoidTy(module_.getContext()), {pointer, type});
}

FunctionCallee EntryPoints::read_bytes() {
  LLVMContext& context = module_.getContext();
  Type* const pointer = PointerType::getUnqual(context);
  return declare("perdure_read_bytes", Type::getVoidTy(context), {pointer, pointer, Type::getInt64Ty(context)});
}

FunctionCallee EntryPoints::write_bytes() {
  LLVMContext& context = module_.getContext();
  Type* const pointer = PointerType::getUnqual(context);
  return declare("perdure_write_bytes", Type::getVoidTy(context), {pointer, pointer, Type::getInt64Ty(context)});
}

FunctionCallee EntryPoints::memcpy() {
  LLVMContext& context = module_.getContext();
  Type* const pointer = PointerType::getUnqual(context);
  return declare("perdure_memcpy", pointer, {pointer, pointer, Type::getInt64Ty(context)});
}

FunctionCallee EntryPoints::memmove() {
  LLVMContext& context = module_.getContext();
  Type* const pointer = PointerType::getUnqual(context);
  return declare("perdure_memmove", pointer, {pointer, pointer, Type::getInt64Ty(context)});
}

FunctionCallee EntryPoints::memset() {
  LLVMContext& context = module_.getContext();
  Type* const pointer = PointerType::getUnqual(context);
  return declare("perdure_memset", pointer, {pointer, Type::getInt32Ty(context), Type::getInt64Ty(context)});
}

}  // namespace perdure::plugin
