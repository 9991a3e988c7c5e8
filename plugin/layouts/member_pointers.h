#ifndef PERDURE_PLUGIN_LAYOUTS_MEMBER_POINTERS_H
#define PERDURE_PLUGIN_LAYOUTS_MEMBER_POINTERS_H

#include <llvm/ADT/SmallVector.h>
#include <llvm/IR/DataLayout.h>
#include <llvm/IR/IntrinsicInst.h>

#include <cstdint>

/// Pointers to member functions: two integers, of which the first is the address of the function. (It is odd, and none,
/// where the function is virtual.) clang reads and writes both at once, and the optimiser takes them apart.
namespace perdure::plugin {

/// `{ i64, i64 }`. clang has this type for little else in memory.
bool is_member_pointer(const llvm::Type& type);

/// The address that is the integer; null if it is another number.
const llvm::Value* address_in(const llvm::Value* integer);

/// Whether a value of that type may be something else than a number that is known.
bool may_be_function(const llvm::Value& member_pointer);

/// Where such pointers lie in a value of the type, in bytes from its beginning.
llvm::SmallVector<std::uint64_t> member_pointers_in(llvm::Type& type, const llvm::DataLayout& layout);

/// Where they may lie in what is copied (pointers_in_copies.h). In the metadata they are sixteen bytes of anything.
llvm::SmallVector<std::uint64_t> member_pointers_in(const llvm::MemTransferInst& copy);

}  // namespace perdure::plugin

#endif
