#ifndef PERDURE_PLUGIN_PORTABLE_CAPTURES_H
#define PERDURE_PLUGIN_PORTABLE_CAPTURES_H

#include <llvm/ADT/SmallVector.h>
#include <llvm/IR/Dominators.h>
#include <llvm/IR/InstrTypes.h>
#include <llvm/IR/Instructions.h>

#include <optional>
#include <string>

#include "portable/address_flow.h"
#include "portable/obstacle.h"

/// The locals of its caller that a transaction works on, and how the closure leads to them.
namespace perdure::plugin {

/// What libs/abi/operation_frame.h says of them; and what the block's other pointers lead to, for reports.
struct Captures {
  struct Local {
    const llvm::AllocaInst* variable;
    std::uint64_t bytes;
    bool is_written;
  };
  struct Pointer {
    unsigned holder;
    std::int64_t holder_offset;
    unsigned target;
    std::int64_t target_offset;
  };
  /// A pointer that stays as it is: where it comes from.
  struct Other {
    unsigned holder;
    std::int64_t holder_offset;
    std::string origin;
  };

  llvm::SmallVector<Local> locals;  ///< the first is the closure
  llvm::SmallVector<Pointer> pointers;
  llvm::SmallVector<Other> others;
  std::optional<Obstacle> obstacle;  ///< why they cannot be copied; then the rest is not complete
};

/// \param dominators  of the function that the run is in.
Captures captures_of(const llvm::CallBase& run, const AddressFlow& flow, const llvm::DominatorTree& dominators);

}  // namespace perdure::plugin

#endif
