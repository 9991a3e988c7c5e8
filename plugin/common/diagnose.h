#ifndef PERDURE_PLUGIN_COMMON_DIAGNOSE_H
#define PERDURE_PLUGIN_COMMON_DIAGNOSE_H

#include <llvm/ADT/ArrayRef.h>
#include <llvm/ADT/StringSet.h>
#include <llvm/IR/DebugLoc.h>
#include <llvm/IR/Function.h>
#include <llvm/IR/InstrTypes.h>
#include <llvm/IR/LLVMContext.h>

#include <string>
#include <vector>

namespace perdure::plugin {

/// A place in the source; line 0 when unknown.
struct SourcePoint {
  std::string file;
  unsigned line = 0;
  unsigned column = 0;
};

SourcePoint point_of(const llvm::DebugLoc& location);

/// Where the function begins.
SourcePoint point_of(const llvm::Function& function);

/// As compilers print it: "file:line:column". The place that is not known has a name, too.
std::string place(const SourcePoint& point);

/// Gives the call one if it has none: in a function with debug information it must, or inlining the callee breaks it.
llvm::CallBase& with_location(llvm::CallBase& call);

/// A line of a diagnostic: an error or one of the notes that explain it.
struct Message {
  SourcePoint point;
  std::string text;
};

/// The source's name of a function ("deposit(Account&, long)"), also of a clone.
std::string source_name(const llvm::Function& function);

/// Where errors go: clang's diagnostics inside clang, standard error elsewhere. An error that is found twice (in the
/// complete and in the base constructor, say) is shown once.
class Reporter {
 public:
  virtual ~Reporter() = default;

  void error(const Message& message, llvm::ArrayRef<Message> notes);

  /// What may be wrong, or not.
  virtual void warning(const Message& message, llvm::ArrayRef<Message> notes) = 0;

  /// Tells the compilation that it has failed. To be called at the end of each phase.
  void finish(llvm::LLVMContext& context);

  /// Whether an error was found so far. What is left of the module is valid, but not to be used.
  bool has_errors() const { return has_errors_; }

 protected:
  virtual void show(const Message& message, llvm::ArrayRef<Message> notes) = 0;
  virtual void fail(llvm::LLVMContext& context) = 0;

 private:
  llvm::StringSet<> shown_;
  bool has_errors_ = false;
};

/// Writes to standard error, as opt and the linker need it.
class StandardErrorReporter : public Reporter {
 public:
  void warning(const Message& message, llvm::ArrayRef<Message> notes) override;

 protected:
  void show(const Message& message, llvm::ArrayRef<Message> notes) override;
  void fail(llvm::LLVMContext& context) override;
};

}  // namespace perdure::plugin

#endif
