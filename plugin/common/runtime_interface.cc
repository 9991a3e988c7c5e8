#include "common/runtime_interface.h"

#include <llvm/ADT/StringSet.h>

#include <array>
#include <cstdint>
#include <type_traits>

#include "abi/entry_points.h"

namespace perdure::plugin {

using namespace llvm;

namespace {

constexpr StringLiteral clone_prefix = "perdure_tm_";
constexpr StringLiteral private_prefix = "perdure_private_";
constexpr StringLiteral private_wrapper_prefix = "perdure_private.";

template <class T>
Type* ir_type(LLVMContext& context) {
  if constexpr (std::is_void_v<T>)
    return Type::getVoidTy(context);
  else if constexpr (std::is_pointer_v<T>)
    return PointerType::getUnqual(context);
  else if constexpr (std::is_same_v<T, float>)
    return Type::getFloatTy(context);
  else if constexpr (std::is_same_v<T, double>)
    return Type::getDoubleTy(context);
  else
    return IntegerType::get(context, sizeof(T) * 8);
}

/// The type of a function, from its C++ type.
template <class Signature>
struct IrSignature;
template <class Result, class... Parameters>
struct IrSignature<Result(Parameters...)> {
  static FunctionType* in(LLVMContext& context) {
    const std::array<Type*, sizeof...(Parameters)> parameters = {ir_type<Parameters>(context)...};
    return FunctionType::get(ir_type<Result>(context), parameters, /*isVarArg=*/false);
  }
};

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

StringRef original_symbol(StringRef symbol_of_clone) {
  StringRef symbol = symbol_of_clone.substr(clone_prefix.size());
  symbol.consume_back(serial_suffix);
  return symbol;
}

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
#define PERDURE_OF_CLONES(name, result, parameters) name##_symbol,
#include "abi/entry_points.def"
  };
  return entry_points.contains(symbol) || symbol.starts_with(private_prefix) ||
         symbol.starts_with(private_wrapper_prefix);
}

std::string private_wrapper_symbol(StringRef symbol) { return (private_wrapper_prefix + symbol).str(); }

bool is_run_symbol(StringRef symbol) {
  return symbol == run_symbol || symbol == run_symbol_of_c || symbol == run_checked_symbol ||
         symbol == transaction_checked_symbol || symbol == run_operation_symbol ||
         symbol == transaction_operation_symbol || is_run_serial_symbol(symbol);
}

bool is_run_serial_symbol(StringRef symbol) {
  return symbol == run_serial_symbol || symbol == run_serial_symbol_of_c || symbol == run_serial_checked_symbol ||
         symbol == serial_transaction_checked_symbol;
}

bool has_own_entry_points(Type* type) { return !suffix_of(type).empty(); }

EntryPoints::EntryPoints(Module& module) : module_(module) {}

FunctionCallee EntryPoints::declare(const Twine& name, FunctionType* type) {
  const auto attributes = AttributeList().addFnAttribute(module_.getContext(), Attribute::NoUnwind);
  return module_.getOrInsertFunction(name.str(), type, attributes);
}

FunctionCallee EntryPoints::read(Type* type) {
  Type* const address = ir_type<void*>(module_.getContext());
  return declare("perdure_read_" + suffix_of(type), FunctionType::get(type, {address}, false));
}

FunctionCallee EntryPoints::write(Type* type) {
  LLVMContext& context = module_.getContext();
  Type* const address = ir_type<void*>(context);
  return declare("perdure_write_" + suffix_of(type), FunctionType::get(ir_type<void>(context), {address, type}, false));
}

#define PERDURE_ENTRY_POINT(name, result, parameters)                                        \
  FunctionCallee EntryPoints::name() {                                                       \
    return declare(name##_symbol, IrSignature<result parameters>::in(module_.getContext())); \
  }
// It depends on its operands alone: the optimiser may merge calls.
#define PERDURE_OF_CLONES_PURE(name, result, parameters)                                                      \
  FunctionCallee EntryPoints::name() {                                                                        \
    FunctionCallee callee = declare(name##_symbol, IrSignature<result parameters>::in(module_.getContext())); \
    auto* const function = cast<Function>(callee.getCallee());                                                \
    function->setDoesNotAccessMemory();                                                                       \
    function->setWillReturn();                                                                                \
    return callee;                                                                                            \
  }
// Exceptions of the body pass through.
#define PERDURE_RUNS(name, result, parameters)                                                                   \
  FunctionCallee EntryPoints::name() {                                                                           \
    return module_.getOrInsertFunction(name##_symbol, IrSignature<result parameters>::in(module_.getContext())); \
  }
#include "abi/entry_points.def"

FunctionCallee EntryPoints::private_call(StringRef what, Type* result, ArrayRef<Type*> parameters) {
  return module_.getOrInsertFunction((private_prefix + what).str(), FunctionType::get(result, parameters, false));
}

}  // namespace perdure::plugin
