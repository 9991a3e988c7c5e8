#include "discover/argument_lists.h"

#include <llvm/ADT/STLExtras.h>
#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/Module.h>
#include <llvm/TargetParser/Triple.h>

#include "elide/elide.h"

namespace perdure::plugin {

using namespace llvm;

namespace {

/// System V ABI for AMD64, figure 3.34: two offsets and two pointers.
constexpr std::uint64_t list_bytes = 24;

bool has_known_list(const Module& module) {
  const Triple triple(module.getTargetTriple());
  return triple.getArch() == Triple::x86_64 && !triple.isOSWindows();
}

Value* destination(const IntrinsicInst& copy) { return copy.getArgOperand(0); }
Value* source(const IntrinsicInst& copy) { return copy.getArgOperand(1); }

}  // namespace

bool has_own_argument_list(const IntrinsicInst& intrinsic) {
  if (!is_own_frame(destination(intrinsic))) return false;
  return intrinsic.getIntrinsicID() == Intrinsic::vastart || has_known_list(*intrinsic.getModule()) ||
         is_own_frame(source(intrinsic));
}

void copy_argument_lists_as_memory(Function& clone) {
  for (Instruction& instruction : make_early_inc_range(instructions(clone))) {
    auto* const copy = dyn_cast<IntrinsicInst>(&instruction);
    if (copy == nullptr || copy->getIntrinsicID() != Intrinsic::vacopy || is_own_frame(source(*copy))) continue;
    if (!has_own_argument_list(*copy)) continue;  // refused
    IRBuilder<>(copy).CreateMemCpy(destination(*copy), Align(8), source(*copy), Align(8), list_bytes);
    copy->eraseFromParent();
  }
}

}  // namespace perdure::plugin
