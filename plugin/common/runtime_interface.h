#ifndef PERDURE_PLUGIN_COMMON_RUNTIME_INTERFACE_H
#define PERDURE_PLUGIN_COMMON_RUNTIME_INTERFACE_H

#include <llvm/IR/DerivedTypes.h>
#include <llvm/IR/Module.h>

#include <string>

/// The symbols of the instrumentation ABI (docs/abi.md), made from the lists in libs/abi. Nothing else in the plugin
/// spells one.
namespace perdure::plugin {

/// `<name>_symbol` is the symbol of an entry point.
#define PERDURE_ENTRY_POINT(name, result, parameters) \
  inline constexpr llvm::StringLiteral name##_symbol = "perdure_" #name;
#include "abi/entry_points.def"
inline constexpr llvm::StringLiteral run_symbol_of_c = "perdure_transaction";  ///< its body returns an int
inline constexpr llvm::StringLiteral run_serial_symbol_of_c = "perdure_serial_transaction";
inline constexpr llvm::StringLiteral whole_program_symbol = "perdure_whole_program";  ///< brings all entry points along
inline constexpr llvm::StringLiteral allocate_in_symbol = "perdure_allocate_in";      ///< perdure/allocator.h
inline constexpr llvm::StringLiteral persist_symbol = "perdure_persist";              ///< perdure/persist.h
inline constexpr llvm::StringLiteral allocate_object_symbol = "perdure_allocate_object";  ///< libs/entry/objects.cc

/// What the symbols of the program's own operators new and delete begin with (own_operators.h).
inline constexpr llvm::StringLiteral replaced_prefix = "perdure_replaced_";

/// What the symbols of serial clones end with.
inline constexpr llvm::StringLiteral serial_suffix = ".serial";

/// The symbol of the clone of `symbol`.
std::string clone_symbol(llvm::StringRef symbol);
bool is_clone_symbol(llvm::StringRef symbol);
/// Of which function a symbol is that of the clone.
llvm::StringRef original_symbol(llvm::StringRef symbol_of_clone);

/// Whether the runtime defines the clone of `symbol` (libs/abi/provided.def).
bool is_provided(llvm::StringRef symbol);

/// The symbol of the function that calls `symbol` as it is (private_calls.h).
std::string private_wrapper_symbol(llvm::StringRef symbol);

/// Whether the function runs a body, its first argument, as a transaction.
bool is_run_symbol(llvm::StringRef symbol);
/// Whether it does that for a serial one.
bool is_run_serial_symbol(llvm::StringRef symbol);

/// Whether the runtime defines `symbol` for the plugin to call.
bool is_entry_point(llvm::StringRef symbol);

/// Whether values of this type have entry points of their own; they are as wide as they are aligned.
bool has_own_entry_points(llvm::Type* type);

/// The declarations of the entry points in a module, made on demand. They never throw (only clones of allocation
/// functions do), but may not return: an abort goes back to the start of the transaction.
class EntryPoints {
 public:
  explicit EntryPoints(llvm::Module& module);

  llvm::FunctionCallee read(llvm::Type* type);   ///< type(ptr)
  llvm::FunctionCallee write(llvm::Type* type);  ///< void(ptr, type)

#define PERDURE_ENTRY_POINT(name, result, parameters) llvm::FunctionCallee name();
#include "abi/entry_points.def"

  /// Those of libs/entry/private_calls.h. They may throw.
  llvm::FunctionCallee private_call(llvm::StringRef what, llvm::Type* result, llvm::ArrayRef<llvm::Type*> parameters);

 private:
  llvm::FunctionCallee declare(const llvm::Twine& name, llvm::FunctionType* type);

  llvm::Module& module_;
};

}  // namespace perdure::plugin

#endif
