#ifndef PERDURE_PLUGIN_ELIDE_ELISIONS_H
#define PERDURE_PLUGIN_ELIDE_ELISIONS_H

#include <llvm/ADT/Statistic.h>
#include <llvm/IR/Instruction.h>

namespace perdure::plugin {

/// What an instruction of a clone does to memory, in reports.
enum class AccessKind { none, read, write, block, call };

llvm::StringRef name_of(AccessKind kind);

/// Accesses have a kind whether they are shared or not; calls have one when they go to functions that the runtime
/// provides clones of.
AccessKind access_kind(const llvm::Instruction& instruction);

/// One reason why an access needs no instrumentation, found by a sub-pass of its own. Each can be switched off by
/// -perdure-disable-elision=<name> (in clang: after -mllvm); then its accesses are instrumented, which is slower and
/// does the same.
struct Elision {
  llvm::StringLiteral name;
  bool (*applies)(const llvm::Instruction& access);
  llvm::TrackingStatistic* count;
  bool leaves_volatile = false;  ///< in the own frame, and where nothing defers accesses: others are instrumented
};

/// The first elision that applies to the access; null when it must be instrumented.
const Elision* elision_of(const llvm::Instruction& access);

/// Of accesses to captured memory (captured_memory.h).
extern const Elision& captured;
/// Reads of clones of that flavour.
extern const Elision& write_only;
/// Of accesses to private locals, which are marked before (private_locals.h).
extern const Elision& private_local;

/// Not found by looking at an access alone, and done before the others (repeated_reads.h).
extern const Elision repeated_read;
bool is_enabled(const Elision& elision);

}  // namespace perdure::plugin

#endif
