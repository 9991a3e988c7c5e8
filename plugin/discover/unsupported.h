#ifndef PERDURE_PLUGIN_DISCOVER_UNSUPPORTED_H
#define PERDURE_PLUGIN_DISCOVER_UNSUPPORTED_H

#include <llvm/IR/Instruction.h>

#include <optional>
#include <string>

namespace perdure::plugin {

/// Why an instruction cannot be part of a transaction.
struct Refusal {
  std::string what;  ///< "an atomic operation in a transaction cannot be made transactional"
  std::string remedy;
};

/// \returns nothing when the instruction is fine. Calls of functions are judged by their rule alone (call_rules.h).
std::optional<Refusal> why_unsupported(const llvm::Instruction& instruction);

}  // namespace perdure::plugin

#endif
