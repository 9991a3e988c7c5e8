#ifndef PERDURE_PLUGIN_DISCOVER_PRIVATE_CALLS_H
#define PERDURE_PLUGIN_DISCOVER_PRIVATE_CALLS_H

#include <llvm/IR/InstrTypes.h>

#include <string>

namespace perdure::plugin {

/// A function of the same type that makes the arguments private and then calls `callee` as it is (private_classes.h).
/// It serves as the clone.
llvm::Function& private_wrapper(llvm::Function& callee);

/// Leads the call of such a function to the wrapper. \param place  for messages of the running program.
void call_privately(llvm::CallBase& call, const std::string& place);

/// Whether an argument is one of the streams that every program has (std::cout); its name, or empty.
llvm::StringRef standard_stream_among_arguments(const llvm::CallBase& call);

}  // namespace perdure::plugin

#endif
