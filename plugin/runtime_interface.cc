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
      "perdure_read_bytes",       "perdure_write_bytes",      "perdure_memcpy",
      "perdure_memmove",          "perdure_memset",           clone_of_symbol,
      "perdure_guard_acquire",    "perdure_guard_release",    "perdure_guard_abort",
      "perdure_written_directly", choose_flavour_symbol,      "perdure_decode_pointer",
      "perdure_encode_pointer",   "perdure_save_local",       "perdure_check_access",
      "perdure_check_pointer",    "perdure_check_free",       "perdure_check_word",
      "perdure_check_linked",     "perdure_set_block_layout", become_serial_symbol,
  };
  return entry_points.contains(symbol);
}

bool is_run_symbol(StringRef symbol) {
  return symbol == run_symbol || symbol == run_symbol_of_c || symbol == checked_run_symbol ||
         symbol == checked_run_symbol_of_c || is_run_serial_symbol(symbol);
}

bool is_run_serial_symbol(StringRef symbol) {
  return symbol == run_serial_symbol || symbol == run_serial_symbol_of_c || symbol == checked_run_serial_symbol ||
         symbol == checked_run_serial_symbol_of_c;
}

bool has_own_entry_points(Type* type) { return !suffix_of(type).empty(); }

EntryPoints::EntryPoints(Module& module)
    : module_(module),
      nothing_(Type::getVoidTy(module.getContext())),
      pointer_(PointerType::getUnqual(module.getContext())),
      int_(Type::getInt32Ty(module.getContext())),
      size_(Type::getInt64Ty(module.getContext())) {}

FunctionCallee EntryPoints::declare(const Twine& name, Type* result, ArrayRef<Type*> parameters) {
  const auto attributes = AttributeList().addFnAttribute(module_.getContext(), Attribute::NoUnwind);
  return module_.getOrInsertFunction(name.str(), FunctionType::get(result, parameters, /*isVarArg=*/false), attributes);
}

/// Of two pointers, and of nothing else.
FunctionCallee EntryPoints::declare_pure(const Twine& name) {
  FunctionCallee callee = declare(name, pointer_, {pointer_, pointer_});
  auto* const function = cast<Function>(callee.getCallee());
  function->setDoesNotAccessMemory();
  function->setWillReturn();
  return callee;
}

FunctionCallee EntryPoints::read(Type* type) { return declare("perdure_read_" + suffix_of(type), type, {pointer_}); }

FunctionCallee EntryPoints::write(Type* type) {
  return declare("perdure_write_" + suffix_of(type), nothing_, {pointer_, type});
}

FunctionCallee EntryPoints::read_bytes() {
  return declare("perdure_read_bytes", nothing_, {pointer_, pointer_, size_});
}
FunctionCallee EntryPoints::write_bytes() {
  return declare("perdure_write_bytes", nothing_, {pointer_, pointer_, size_});
}
FunctionCallee EntryPoints::memcpy() { return declare("perdure_memcpy", pointer_, {pointer_, pointer_, size_}); }
FunctionCallee EntryPoints::memmove() { return declare("perdure_memmove", pointer_, {pointer_, pointer_, size_}); }
FunctionCallee EntryPoints::memset() { return declare("perdure_memset", pointer_, {pointer_, int_, size_}); }
FunctionCallee EntryPoints::clone_of() { return declare(clone_of_symbol, pointer_, {pointer_, pointer_}); }
FunctionCallee EntryPoints::choose_flavour() { return declare(choose_flavour_symbol, pointer_, {pointer_, pointer_}); }
FunctionCallee EntryPoints::decode_pointer() { return declare_pure("perdure_decode_pointer"); }
FunctionCallee EntryPoints::encode_pointer() { return declare_pure("perdure_encode_pointer"); }
FunctionCallee EntryPoints::use_self_relative_pointers() {
  return declare("perdure_use_self_relative_pointers", nothing_, {});
}
FunctionCallee EntryPoints::written_directly() { return declare("perdure_written_directly", nothing_, {pointer_}); }
FunctionCallee EntryPoints::set_block_layout() { return declare("perdure_set_block_layout", nothing_, {pointer_}); }
FunctionCallee EntryPoints::save_local() { return declare("perdure_save_local", nothing_, {pointer_, size_}); }
FunctionCallee EntryPoints::check_access() {
  return declare("perdure_check_access", nothing_, {pointer_, size_, pointer_});
}
FunctionCallee EntryPoints::check_pointer() {
  return declare("perdure_check_pointer", nothing_, {pointer_, pointer_, pointer_});
}
FunctionCallee EntryPoints::check_word() { return declare("perdure_check_word", nothing_, {pointer_, size_}); }
FunctionCallee EntryPoints::check_linked() { return declare("perdure_check_linked", nothing_, {pointer_, pointer_}); }
FunctionCallee EntryPoints::check_free() { return declare("perdure_check_free", pointer_, {pointer_, pointer_}); }
/// Exceptions of the body pass through these.
FunctionCallee EntryPoints::run_checked() {
  return module_.getOrInsertFunction(checked_run_symbol, FunctionType::get(nothing_, {pointer_, pointer_}, false));
}
FunctionCallee EntryPoints::transaction_checked() {
  return module_.getOrInsertFunction(checked_run_symbol_of_c, FunctionType::get(int_, {pointer_, pointer_}, false));
}
FunctionCallee EntryPoints::run_serial_checked() {
  return module_.getOrInsertFunction(checked_run_serial_symbol,
                                     FunctionType::get(nothing_, {pointer_, pointer_}, false));
}
FunctionCallee EntryPoints::serial_transaction_checked() {
  return module_.getOrInsertFunction(checked_run_serial_symbol_of_c,
                                     FunctionType::get(int_, {pointer_, pointer_}, false));
}
FunctionCallee EntryPoints::become_serial() { return declare(become_serial_symbol, nothing_, {}); }
FunctionCallee EntryPoints::add_serial_clones() {
  return declare("perdure_add_serial_clones", nothing_, {pointer_, size_});
}
FunctionCallee EntryPoints::remove_serial_clones() {
  return declare("perdure_remove_serial_clones", nothing_, {pointer_, size_});
}
FunctionCallee EntryPoints::add_clones() { return declare("perdure_add_clones", nothing_, {pointer_, size_}); }
FunctionCallee EntryPoints::guard_acquire() { return declare("perdure_guard_acquire", int_, {pointer_}); }
FunctionCallee EntryPoints::guard_release() { return declare("perdure_guard_release", nothing_, {pointer_}); }
FunctionCallee EntryPoints::guard_abort() { return declare("perdure_guard_abort", nothing_, {pointer_}); }
FunctionCallee EntryPoints::remove_clones() { return declare("perdure_remove_clones", nothing_, {pointer_, size_}); }

}  // namespace perdure::plugin
