#ifndef PERDURE_PLUGIN_FRONT_END_SOURCE_RANGES_H
#define PERDURE_PLUGIN_FRONT_END_SOURCE_RANGES_H

#include <clang/AST/ASTContext.h>
#include <clang/Basic/SourceLocation.h>
#include <llvm/ADT/DenseMap.h>

namespace perdure::plugin {

/// From the places that instructions have, which are points, back to the source: what messages underline.
class SourceRanges {
 public:
  /// The extent of the expression or statement that has its instructions at `location`; invalid if there is none.
  clang::SourceRange at(clang::SourceLocation location, clang::ASTContext& context);

 private:
  llvm::DenseMap<clang::SourceLocation, clang::SourceRange> ranges_;  // made for the first message
};

}  // namespace perdure::plugin

#endif
