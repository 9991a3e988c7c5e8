#include "layouts/block_layouts.h"

#include <llvm/ADT/STLExtras.h>
#include <llvm/IR/Constants.h>
#include <llvm/IR/DebugInfoMetadata.h>
#include <llvm/IR/IRBuilder.h>
#include <llvm/Transforms/Utils/Cloning.h>

#include "common/markings.h"
#include "common/runtime_interface.h"
#include "layouts/allocations.h"
#include "layouts/element_layout.h"

namespace perdure::plugin {

using namespace llvm;

namespace {

constexpr StringLiteral prefix_of_constants = "perdure.layout.";

/// The function as the source has it: of a clone, the original.
StringRef symbol_in_source(const Function& function) {
  const StringRef symbol = function.getName();
  return is_clone(function) && is_clone_symbol(symbol) ? original_symbol(symbol) : symbol;
}

void mark(CallBase& call, StringRef layout);

/// The allocation is in another function, which serves all types: it is taken into this one.
void mark_inside(CallBase& call, StringRef layout) {
  InlineFunctionInfo result;
  if (call.getCalledFunction()->isDeclaration() || !InlineFunction(call, result).isSuccess()) return;
  for (CallBase* const inlined : result.InlinedCallSites)
    if (is_allocation(*inlined)) mark(*inlined, layout);
}

void mark(CallBase& call, StringRef layout) {
  if (forwards_allocation(*call.getCalledFunction()))
    mark_inside(call, layout);
  else
    call.addFnAttr(Attribute::get(call.getContext(), layout_marking, layout));
}

SmallVector<CallBase*> calls_of(Function& function) {
  SmallVector<CallBase*> calls;
  for (const Use& use : function.uses())
    if (auto* const call = dyn_cast<CallBase>(use.getUser()); call != nullptr && call->getCalledFunction() == &function)
      calls.push_back(call);
  return calls;
}

bool is_of_interest(const CallBase& call, MarkedFunctions functions) {
  const DILocation* const location = call.getDebugLoc();
  // Already marked, or of another function's source.
  if (call.hasFnAttr(layout_marking) || (location != nullptr && location->getInlinedAt() != nullptr)) return false;
  return functions == MarkedFunctions::all || is_clone(*call.getFunction()) ||
         call.getCalledFunction()->getName() == allocate_in_symbol;
}

Constant* constant_of(const alloc::LayoutWords& words, LLVMContext& context) {
  Type* const byte = Type::getInt8Ty(context);
  Type* const half = Type::getInt32Ty(context);
  return ConstantStruct::getAnon({ConstantInt::get(half, words.offset), ConstantInt::get(half, words.count),
                                  ConstantInt::get(byte, static_cast<std::uint8_t>(words.kind)),
                                  ConstantInt::get(byte, words.test_mask), ConstantInt::get(byte, words.test_value),
                                  ConstantInt::get(byte, 0), ConstantInt::get(half, words.test_offset)});
}

/// An alloc::BlockLayout.
Constant* constant_of(const ElementLayout& layout, LLVMContext& context) {
  Type* const half = Type::getInt32Ty(context);
  SmallVector<Constant*> fields = {ConstantInt::get(Type::getInt64Ty(context), 0),
                                   ConstantInt::get(half, layout.element_bytes),
                                   ConstantInt::get(half, layout.first_element),
                                   ConstantInt::get(half, layout.words.size()), ConstantInt::get(half, 0)};
  for (const alloc::LayoutWords& words : layout.words) fields.push_back(constant_of(words, context));
  return ConstantStruct::getAnon(fields);
}

/// One in a module for each layout. It is no constant: the runtime keeps its number there.
GlobalVariable& variable_of(StringRef text, const ElementLayout& layout, Module& module) {
  const std::string name = (prefix_of_constants + text).str();
  if (GlobalVariable* const known = module.getNamedGlobal(name)) return *known;
  Constant* const value = constant_of(layout, module.getContext());
  auto* const variable =
      new GlobalVariable(module, value->getType(), /*isConstant=*/false, GlobalValue::PrivateLinkage, value, name);
  variable->setAlignment(Align(alignof(alloc::BlockLayout)));
  return *variable;
}

}  // namespace

void mark_block_layouts(Module& module, AllocatedTypes& types, MarkedFunctions functions) {
  SmallVector<std::pair<CallBase*, std::string>> known;
  for (Function& function : module) {
    if (!is_allocation(function)) continue;
    for (CallBase* const call : calls_of(function)) {
      if (!is_of_interest(*call, functions)) continue;
      const StringRef symbol = symbol_in_source(*call->getFunction());
      if (auto layout = types.layout_at(symbol, point_of(call->getDebugLoc())))
        known.push_back({call, std::move(*layout)});
    }
  }
  for (const auto& [call, layout] : known) mark(*call, layout);
}

Constant* layout_variable(CallBase& call) {
  const Attribute marking = call.getFnAttr(layout_marking);
  if (!marking.isValid()) return nullptr;
  const StringRef text = marking.getValueAsString();
  const auto layout = layout_from(text);
  return layout ? &variable_of(text, *layout, *call.getModule()) : nullptr;
}

void tell_block_layout(CallBase& call) {
  Constant* const layout = layout_variable(call);
  call.removeFnAttr(layout_marking);
  if (layout == nullptr) return;
  IRBuilder<> builder(&call);
  EntryPoints entry_points(*call.getModule());
  CallInst* const told = builder.CreateCall(entry_points.set_block_layout(), {layout});
  // A fiber may go on in another thread between two calls, but the compiler takes the address of a thread's variable to
  // be the same throughout a function.
  if (!is_clone(*call.getFunction())) told->addFnAttr(Attribute::NoInline);
}

void tell_block_layouts_outside(Module& module) {
  Function* const function = module.getFunction(allocate_in_symbol);
  if (function == nullptr) return;
  for (CallBase* const call : calls_of(*function)) tell_block_layout(*call);
}

}  // namespace perdure::plugin
