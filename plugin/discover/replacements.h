#ifndef PERDURE_PLUGIN_DISCOVER_REPLACEMENTS_H
#define PERDURE_PLUGIN_DISCOVER_REPLACEMENTS_H

#include <llvm/IR/Module.h>

#include <string>
#include <vector>

namespace perdure::plugin {

/// Of two functions (by symbol), the one that transactions call instead of the other: [[perdure::replace(…)]]. A table
/// and no annotation, because clang does not annotate a function that is defined before, nor one that is not called.
struct Replacement {
  std::string replaced;
  std::string replacement;
  std::string marking;  ///< of the replacement (markings.h)
};
using Replacements = std::vector<Replacement>;

/// Marks the functions of the module that are replaced (markings.h).
void mark_replaced(llvm::Module& module, const Replacements& replacements);

/// The function that transactions call instead of one that is marked so.
llvm::Function& replacement_of(llvm::Function& replaced);

}  // namespace perdure::plugin

#endif
