#ifndef PERDURE_PLUGIN_LAYOUTS_BLOCK_LAYOUTS_H
#define PERDURE_PLUGIN_LAYOUTS_BLOCK_LAYOUTS_H

#include <llvm/IR/InstrTypes.h>
#include <llvm/IR/Module.h>

#include <optional>
#include <string>

#include "common/diagnose.h"

/// What transactions allocate, said to the runtime: where the pointers of the block are (libs/abi/block_layout.h), so
/// that a pool can be moved. The early phase marks calls of allocation functions with the layout, while each is still
/// in the function and at the place where the source has it. The late phase tells it just before the call. A call that
/// the optimiser removes, or merges with one of another type, takes its mark along.
namespace perdure::plugin {

/// What the front end knows of the types that the source allocates.
class AllocatedTypes {
 public:
  virtual ~AllocatedTypes() = default;

  /// The layout (element_layout.h) of what is allocated at this place of a function, told by its symbol; line 0: at any
  /// place of it. Nothing when that is not certain.
  virtual std::optional<std::string> layout_at(llvm::StringRef symbol, const SourcePoint& place) = 0;
};

/// Which functions' calls are marked.
enum class MarkedFunctions { clones, all };

/// Marks what is known. `perdure_allocate_in` is marked everywhere.
void mark_block_layouts(llvm::Module& module, AllocatedTypes& types, MarkedFunctions functions);

/// Tells the runtime before the call, if that is marked.
void tell_block_layout(llvm::CallBase& call);

/// The layout that the call is marked with, as the runtime takes it; null if there is none.
llvm::Constant* layout_variable(llvm::CallBase& call);

/// Outside of transactions, `perdure_allocate_in` takes memory from pools, too.
void tell_block_layouts_outside(llvm::Module& module);

}  // namespace perdure::plugin

#endif
