#ifndef PERDURE_PLUGIN_PORTABLE_OBSTACLE_H
#define PERDURE_PLUGIN_PORTABLE_OBSTACLE_H

#include <llvm/ADT/StringRef.h>
#include <llvm/IR/Instruction.h>

#include <string>

namespace perdure::plugin {

/// Why a block is not portable.
struct Obstacle {
  llvm::StringRef kind;         ///< one of those in docs/abi.md
  std::string what;             ///< a sentence for the programmer
  const llvm::Instruction* at;  ///< where
};

}  // namespace perdure::plugin

#endif
