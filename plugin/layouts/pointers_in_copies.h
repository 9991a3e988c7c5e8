#ifndef PERDURE_PLUGIN_LAYOUTS_POINTERS_IN_COPIES_H
#define PERDURE_PLUGIN_LAYOUTS_POINTERS_IN_COPIES_H

#include <llvm/ADT/STLFunctionalExtras.h>
#include <llvm/ADT/SmallVector.h>
#include <llvm/IR/DataLayout.h>
#include <llvm/IR/IntrinsicInst.h>

#include <cstdint>

namespace perdure::plugin {

using IsSought = llvm::function_ref<bool(const llvm::Type&)>;

/// Where parts of such types lie in a value of the type, in bytes from its beginning.
llvm::SmallVector<std::uint64_t> offsets_in(llvm::Type& type, const llvm::DataLayout& layout, IsSought is_sought);

/// Where pointers lie in a value of the type, in bytes from its beginning.
llvm::SmallVector<std::uint64_t> pointers_in(llvm::Type& type, const llvm::DataLayout& layout);

/// That of a variable that is copied whole, or overwritten; null if it is none.
llvm::Type* type_of_copy(const llvm::MemTransferInst& copy);

/// Where pointers lie in what is copied, as far as that is known: by the metadata that clang writes for the copy of a
/// struct (where it optimises), or by the type of a variable that is one side of it.
llvm::SmallVector<std::uint64_t> pointers_in(const llvm::MemTransferInst& copy);

}  // namespace perdure::plugin

#endif
