#ifndef PERDURE_PLUGIN_RUNTIME_INTERFACE_H
#define PERDURE_PLUGIN_RUNTIME_INTERFACE_H

#include <llvm/IR/DerivedTypes.h>
#include <llvm/IR/Module.h>

#include <string>

/// The symbols of the instrumentation ABI (docs/abi.md), made from the lists in libs/abi. Nothing else in the plugin
/// spells one.
namespace perdure::plugin {

inline constexpr llvm::StringLiteral run_symbol = "perdure_run";
inline constexpr llvm::StringLiteral run_symbol_of_c = "perdure_transaction";     ///< its body returns an int
inline constexpr llvm::StringLiteral checked_run_symbol = "perdure_run_checked";  ///< of checked builds
inline constexpr llvm::StringLiteral checked_run_symbol_of_c = "perdure_transaction_checked";
inline constexpr llvm::StringLiteral run_serial_symbol = "perdure_run_serial";
inline constexpr llvm::StringLiteral run_serial_symbol_of_c = "perdure_serial_transaction";
inline constexpr llvm::StringLiteral checked_run_serial_symbol = "perdure_run_serial_checked";
inline constexpr llvm::StringLiteral checked_run_serial_symbol_of_c = "perdure_serial_transaction_checked";
inline constexpr llvm::StringLiteral become_serial_symbol = "perdure_become_serial";
inline constexpr llvm::StringLiteral whole_program_symbol = "perdure_whole_program";  ///< brings all entry points along
inline constexpr llvm::StringLiteral clone_of_symbol = "perdure_clone_of";
inline constexpr llvm::StringLiteral choose_flavour_symbol = "perdure_choose_flavour";
inline constexpr llvm::StringLiteral allocate_in_symbol = "perdure_allocate_in";  ///< perdure/allocator.h

/// What the symbols of serial clones end with.
inline constexpr llvm::StringLiteral serial_suffix = ".serial";

/// The symbol of the clone of `symbol`.
std::string clone_symbol(llvm::StringRef symbol);
bool is_clone_symbol(llvm::StringRef symbol);
/// Of which function a symbol is that of the clone.
llvm::StringRef original_symbol(llvm::StringRef symbol_of_clone);

/// Whether the runtime defines the clone of `symbol` (libs/abi/provided.def).
bool is_provided(llvm::StringRef symbol);

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

  llvm::FunctionCallee read(llvm::Type* type);        ///< type(ptr)
  llvm::FunctionCallee write(llvm::Type* type);       ///< void(ptr, type)
  llvm::FunctionCallee read_bytes();                  ///< void(ptr to, ptr from, i64 size)
  llvm::FunctionCallee write_bytes();                 ///< void(ptr to, ptr from, i64 size)
  llvm::FunctionCallee memcpy();                      ///< ptr(ptr to, ptr from, i64 size)
  llvm::FunctionCallee memmove();                     ///< ptr(ptr to, ptr from, i64 size)
  llvm::FunctionCallee memset();                      ///< ptr(ptr to, i32 byte, i64 size)
  llvm::FunctionCallee clone_of();                    ///< ptr(ptr function, ptr call)
  llvm::FunctionCallee choose_flavour();              ///< ptr(ptr full, ptr write_only)
  llvm::FunctionCallee decode_pointer();              ///< ptr(ptr stored, ptr place)
  llvm::FunctionCallee encode_pointer();              ///< ptr(ptr value, ptr place)
  llvm::FunctionCallee use_self_relative_pointers();  ///< void()
  llvm::FunctionCallee written_directly();            ///< void(ptr block)
  llvm::FunctionCallee set_block_layout();            ///< void(ptr layout)
  llvm::FunctionCallee save_local();                  ///< void(ptr local, i64 size)
  llvm::FunctionCallee check_access();                ///< void(ptr address, i64 size, ptr place)
  llvm::FunctionCallee check_pointer();               ///< void(ptr address, ptr value, ptr place)
  llvm::FunctionCallee check_word();                  ///< void(ptr address, i64 value)
  llvm::FunctionCallee check_linked();                ///< void(ptr from, ptr to)
  llvm::FunctionCallee check_free();                  ///< ptr(ptr block, ptr place)
  llvm::FunctionCallee run_checked();                 ///< void(ptr body, ptr closure)
  llvm::FunctionCallee transaction_checked();         ///< i32(ptr body, ptr argument)
  llvm::FunctionCallee run_serial_checked();          ///< void(ptr body, ptr closure)
  llvm::FunctionCallee serial_transaction_checked();  ///< i32(ptr body, ptr argument)
  llvm::FunctionCallee become_serial();               ///< void()
  llvm::FunctionCallee add_serial_clones();           ///< void(ptr rows, i64 count)
  llvm::FunctionCallee remove_serial_clones();        ///< void(ptr rows, i64 count)
  llvm::FunctionCallee add_clones();                  ///< void(ptr rows, i64 count)
  llvm::FunctionCallee guard_acquire();               ///< i32(ptr guard)
  llvm::FunctionCallee guard_release();               ///< void(ptr guard)
  llvm::FunctionCallee guard_abort();                 ///< void(ptr guard)
  llvm::FunctionCallee remove_clones();               ///< void(ptr rows, i64 count)

 private:
  llvm::FunctionCallee declare_pure(const llvm::Twine& name);
  llvm::FunctionCallee declare(const llvm::Twine& name, llvm::Type* result, llvm::ArrayRef<llvm::Type*> parameters);

  llvm::Module& module_;
  llvm::Type* nothing_;
  llvm::Type* pointer_;
  llvm::Type* int_;
  llvm::Type* size_;
};

}  // namespace perdure::plugin

#endif
