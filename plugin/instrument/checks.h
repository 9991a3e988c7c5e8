#ifndef PERDURE_PLUGIN_INSTRUMENT_CHECKS_H
#define PERDURE_PLUGIN_INSTRUMENT_CHECKS_H

#include <llvm/ADT/StringMap.h>
#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/Instructions.h>
#include <llvm/IR/IntrinsicInst.h>
#include <llvm/IR/Module.h>

#include <string>

#include "common/diagnose.h"
#include "common/runtime_interface.h"

/// Checked builds (-fplugin-arg-perdure-checked): before accesses, frees and stores of pointers, calls of the runtime
/// that look for mistakes with pools, each with its place in the source (docs/abi.md).
namespace perdure::plugin {

/// Puts the checks of one module in. In clones they come last, when it is decided which accesses are instrumented.
class Checks {
 public:
  explicit Checks(llvm::Module& module) : module_(module), entry_points_(module) {}

  /// Before an instruction of a clone or of a function outside of transactions. What certainly concerns the stack,
  /// global variables or constants gets none. The pointers in a struct that is copied are read back behind the copy:
  /// those reads are added to `reads`, for a clone to instrument.
  void check(llvm::Instruction& instruction, llvm::SmallVectorImpl<llvm::Instruction*>& reads);

  /// All functions that are not clones, and the calls that begin transactions.
  void check_outside_of_transactions();

 private:
  void check_store(llvm::StoreInst& store);
  void check_copy(llvm::MemTransferInst& copy, llvm::SmallVectorImpl<llvm::Instruction*>& reads);
  void check_call(llvm::CallBase& call);
  void check_arguments(llvm::CallBase& call);
  void check_access(llvm::IRBuilder<>& builder, llvm::Value* address, llvm::Value* bytes);
  void check_access(llvm::Instruction& access, llvm::Value* address, llvm::Type* type);
  void check_pointer(llvm::IRBuilder<>& builder, llvm::Value* address, llvm::Value* value);
  void check_function(llvm::Function& function);
  void begin_checked(llvm::StringRef symbol, llvm::FunctionCallee checked);
  llvm::Constant* place_of(const llvm::Instruction& instruction);

  llvm::Module& module_;
  EntryPoints entry_points_;
  llvm::StringMap<llvm::Constant*> places_;
};

}  // namespace perdure::plugin

#endif
