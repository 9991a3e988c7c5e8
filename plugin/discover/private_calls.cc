#include "discover/private_calls.h"

#include <llvm/ADT/STLExtras.h>
#include <llvm/ADT/StringSwitch.h>
#include <llvm/Analysis/ValueTracking.h>
#include <llvm/IR/GlobalVariable.h>
#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/Instructions.h>
#include <llvm/IR/Module.h>

#include "common/runtime_interface.h"
#include "discover/private_classes.h"

namespace perdure::plugin {

using namespace llvm;

namespace {

/// What of a parameter's attributes belongs to the calling convention; the rest may be wrong for copies.
AttributeSet convention_of(LLVMContext& context, AttributeSet attributes) {
  AttrBuilder kept(context);
  for (const auto kind : {Attribute::StructRet, Attribute::ByVal, Attribute::ZExt, Attribute::SExt, Attribute::InReg,
                          Attribute::Alignment})
    if (attributes.hasAttribute(kind)) kept.addAttribute(attributes.getAttribute(kind));
  return AttributeSet::get(context, kept);
}

AttributeList conventions_of(const Function& function) {
  LLVMContext& context = function.getContext();
  const AttributeList attributes = function.getAttributes();
  SmallVector<AttributeSet> of_parameters;
  for (unsigned i = 0; i < function.arg_size(); ++i)
    of_parameters.push_back(convention_of(context, attributes.getParamAttrs(i)));
  return AttributeList::get(context, {}, convention_of(context, attributes.getRetAttrs()), of_parameters);
}

/// Writes the body of a wrapper.
class WrapperBody {
 public:
  WrapperBody(Function& wrapper, Function& callee)
      : wrapper_(wrapper),
        callee_(callee),
        entry_points_(*wrapper.getParent()),
        signature_(private_signature(callee)),
        builder_(BasicBlock::Create(wrapper.getContext(), "", &wrapper)) {}

  void write() {
    for (Argument& argument : wrapper_.args()) arguments_.push_back(&argument);
    prepare_result();
    for (unsigned i = 0; i < arguments_.size(); ++i)
      if (wrapper_.getArg(i)->getType()->isPointerTy()) prepare(i);
    emit("begin", {});
    CallBase& call = call_original();
    emit("end", {});
    write_back();
    Value* const result = result_of(call);
    emit("done", {});
    if (result == nullptr)
      builder_.CreateRetVoid();
    else
      builder_.CreateRet(result);
  }

 private:
  Value* emit(StringRef what, ArrayRef<Value*> arguments, Type* result = nullptr) {
    SmallVector<Type*> types;
    for (Value* const argument : arguments) types.push_back(argument->getType());
    if (result == nullptr) result = builder_.getVoidTy();
    return builder_.CreateCall(entry_points_.private_call(what, result, types), arguments);
  }
  Value* copy(StringRef what, ArrayRef<Value*> arguments) { return emit(what, arguments, builder_.getPtrTy()); }

  /// A string that is returned is moved from a local to where the caller wants it, as a string of the transaction.
  void prepare_result() {
    result_bytes_ = character_bytes_of_result(callee_);
    if (result_bytes_ == 0) return;
    arguments_[0] = builder_.CreateAlloca(callee_.getParamStructRetType(0));
  }

  void prepare(unsigned i) {
    const auto [passing, bytes] = signature_[i];
    Value*& argument = arguments_[i];
    switch (passing) {
      case Passing::as_it_is:
        break;
      case Passing::object:
      case Passing::constant:
        emit("object", {argument, builder_.getInt32(passing == Passing::constant)});
        break;
      case Passing::of_library:
        emit("of_library", {argument});
        break;
      case Passing::resource:
        emit("resource", {argument});
        break;
      case Passing::unless_null:
        emit("unless_null", {argument});
        break;
      case Passing::text:
      case Passing::text_back:
        argument = copy("text", {argument, builder_.getInt32(bytes)});
        break;
      case Passing::view:
        argument = copy("view", {argument, builder_.getInt32(bytes)});
        break;
      case Passing::c_string:
        argument = copy("c_string", {argument, builder_.getInt32(bytes)});
        break;
      case Passing::counted:
        argument = copy("bytes", {argument, in_bytes(arguments_[i + 1], bytes)});
        break;
      case Passing::count_before:
        argument = copy("bytes", {argument, in_bytes(arguments_[i - 1], bytes)});
        break;
      case Passing::range:
        prepare_range(i);
        break;
      case Passing::locale:
        argument = copy("locale", {argument});
        break;
      case Passing::value_back:
        prepare_value(argument, bytes);
        break;
    }
    has_copies_ |= argument != wrapper_.getArg(i);
  }

  Value* in_bytes(Value* count, unsigned bytes) {
    return builder_.CreateMul(builder_.CreateSExt(count, builder_.getInt64Ty()), builder_.getInt64(bytes));
  }

  void prepare_range(unsigned i) {
    Value* const size = builder_.CreateSub(builder_.CreatePtrToInt(arguments_[i + 1], builder_.getInt64Ty()),
                                           builder_.CreatePtrToInt(arguments_[i], builder_.getInt64Ty()));
    arguments_[i] = copy("bytes", {arguments_[i], size});
    arguments_[i + 1] = builder_.CreatePtrAdd(arguments_[i], size);
  }

  void prepare_value(Value*& argument, unsigned bytes) {
    AllocaInst* const local = builder_.CreateAlloca(builder_.getIntNTy(bytes * 8));
    builder_.CreateCall(entry_points_.read_bytes(), {local, argument, builder_.getInt64(bytes)});
    argument = local;
  }

  /// What an exception leaves is not freed with the transaction: it may be part of the exception.
  CallBase& call_original() {
    LLVMContext& context = wrapper_.getContext();
    CallBase* call = nullptr;
    if (callee_.doesNotThrow()) {
      call = builder_.CreateCall(&callee_, arguments_);
    } else {
      BasicBlock* const next = BasicBlock::Create(context, "", &wrapper_);
      BasicBlock* const unwound = BasicBlock::Create(context, "", &wrapper_);
      call = builder_.CreateInvoke(&callee_, next, unwound, arguments_);
      builder_.SetInsertPoint(unwound);
      LandingPadInst* const pad =
          builder_.CreateLandingPad(StructType::get(builder_.getPtrTy(), builder_.getInt32Ty()), 0);
      pad->setCleanup(true);
      emit("unwind", {});
      builder_.CreateResume(pad);
      builder_.SetInsertPoint(next);
    }
    call->setCallingConv(callee_.getCallingConv());
    call->setAttributes(conventions_of(callee_));
    return *call;
  }

  void write_back() {
    for (unsigned i = 0; i < arguments_.size(); ++i) {
      const auto [passing, bytes] = signature_[i];
      Argument* const original = wrapper_.getArg(i);
      if (passing == Passing::text_back)
        emit("assign_text", {original, arguments_[i], builder_.getInt32(bytes)});
      else if (passing == Passing::value_back)
        builder_.CreateCall(entry_points_.write_bytes(), {original, arguments_[i], builder_.getInt64(bytes)});
    }
    if (result_bytes_ != 0) emit("return_text", {wrapper_.getArg(0), arguments_[0], builder_.getInt32(result_bytes_)});
  }

  /// A pointer into a copy is turned into one to the original.
  Value* result_of(CallBase& call) {
    if (call.getType()->isVoidTy()) return nullptr;
    return has_copies_ && call.getType()->isPointerTy() ? copy("original", {&call}) : &call;
  }

  Function& wrapper_;
  Function& callee_;
  EntryPoints entry_points_;
  PrivateSignature signature_;
  IRBuilder<> builder_;
  SmallVector<Value*> arguments_;
  unsigned result_bytes_ = 0;
  bool has_copies_ = false;
};

}  // namespace

Function& private_wrapper(Function& callee) {
  Module& module = *callee.getParent();
  const std::string symbol = private_wrapper_symbol(callee.getName());
  if (Function* const known = module.getFunction(symbol)) return *known;
  const bool is_local = callee.hasLocalLinkage();
  Function& wrapper = *Function::Create(callee.getFunctionType(),
                                        is_local ? GlobalValue::InternalLinkage : GlobalValue::LinkOnceODRLinkage,
                                        callee.getAddressSpace(), symbol, &module);
  wrapper.setCallingConv(callee.getCallingConv());
  wrapper.setAttributes(conventions_of(callee));
  wrapper.addFnAttr(Attribute::NoInline);
  wrapper.setUWTableKind(UWTableKind::Default);
  wrapper.setPersonalityFn(cast<Constant>(
      module
          .getOrInsertFunction("__gxx_personality_v0",
                               FunctionType::get(Type::getInt32Ty(module.getContext()), /*isVarArg=*/true))
          .getCallee()));
  for (const StringRef kind : {"target-cpu", "target-features", "frame-pointer", "tune-cpu"})
    if (callee.hasFnAttribute(kind)) wrapper.addFnAttr(callee.getFnAttribute(kind));
  if (!is_local) {
    wrapper.setComdat(module.getOrInsertComdat(symbol));
    wrapper.setVisibility(GlobalValue::HiddenVisibility);
  }
  WrapperBody(wrapper, callee).write();
  return wrapper;
}

void call_privately(CallBase& call, const std::string& place) {
  IRBuilder<> builder(&call);
  Function& callee = *cast<Function>(call.getCalledOperand()->stripPointerCastsAndAliases());
  EntryPoints entry_points(*call.getModule());
  builder.CreateCall(entry_points.private_call("at", builder.getVoidTy(), {builder.getPtrTy()}),
                     {builder.CreateGlobalString(place)});
  call.setCalledFunction(&private_wrapper(callee));
  call.setAttributes(conventions_of(callee));
  call.addFnAttr(Attribute::NoInline);
}

StringRef standard_stream_among_arguments(const CallBase& call) {
  for (const Value* const argument : call.args()) {
    if (!argument->getType()->isPointerTy()) continue;
    const auto* const variable = dyn_cast<GlobalVariable>(getUnderlyingObject(argument));
    if (variable == nullptr) continue;
    StringRef name = variable->getName();
    if (!name.consume_front("_ZSt") && !name.consume_front("_ZNSt3__1")) continue;
    for (const StringRef stream : {"cout", "cerr", "clog", "wcout", "wcerr", "wclog", "cin", "wcin"})
      if (name == (Twine(stream.size()) + stream).str() || name == (Twine(stream.size()) + stream + "E").str())
        return stream;
  }
  return {};
}

}  // namespace perdure::plugin
