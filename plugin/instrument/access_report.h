#ifndef PERDURE_PLUGIN_INSTRUMENT_ACCESS_REPORT_H
#define PERDURE_PLUGIN_INSTRUMENT_ACCESS_REPORT_H

#include <llvm/IR/Function.h>
#include <llvm/Support/JSON.h>

#include <string>
#include <vector>

#include "common/diagnose.h"
#include "elide/elisions.h"

namespace perdure::plugin {

/// What was instrumented in a file and what was not, and why: as optimisation remarks (-Rpass=perdure for what was
/// left, -Rpass-missed=perdure for what was instrumented), and on request as a JSON file.
class AccessReport {
 public:
  /// \param path  of the file to write; empty: none.
  explicit AccessReport(std::string path = {}) : path_(std::move(path)) {}

  /// The accesses that follow are the function's.
  void begin(const llvm::Function& clone);

  /// \param elision  the name of the elision that leaves the access; empty when it is instrumented.
  void add(const llvm::Instruction& access, AccessKind kind, llvm::StringRef elision);

  /// What is known of the blocks (portable/portability_report.h).
  void add_blocks(llvm::json::Array blocks) { blocks_ = std::move(blocks); }

  /// Writes the file.
  void finish(Reporter& reporter);

 private:
  struct OfFunction {
    std::string name;
    std::string symbol;
    std::string place;
    llvm::json::Array accesses;
  };

  std::string path_;
  std::vector<OfFunction> functions_;
  llvm::json::Array blocks_;
};

}  // namespace perdure::plugin

#endif
