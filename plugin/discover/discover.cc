#include "discover/discover.h"

#include <llvm/ADT/STLExtras.h>
#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/Instructions.h>
#include <llvm/Transforms/Utils/ModuleUtils.h>

#include <utility>

#include "common/library_functions.h"
#include "common/markings.h"
#include "common/runtime_interface.h"
#include "discover/argument_lists.h"
#include "discover/boundary.h"
#include "discover/call_rules.h"
#include "discover/clone.h"
#include "discover/frees.h"
#include "discover/private_calls.h"
#include "discover/replacements.h"
#include "discover/serial_parts.h"
#include "discover/static_guards.h"
#include "discover/unsupported.h"
#include "discover/whole_program.h"
#include "instrument/atomics.h"

namespace perdure::plugin {

using namespace llvm;

namespace {

bool is_perhaps_in_another_file(const Instruction& instruction) {
  const auto* const call = dyn_cast<CallBase>(&instruction);
  return call != nullptr && rule_for(*call) == CallRule::unknown && may_be_in_another_file(*callee_of(*call));
}

}  // namespace

Function& Discovery::clone_of_root(Function& original, Flavour flavour) {
  Function& clone = clone_of(original, flavour, {});
  while (!unprocessed_.empty()) process(*unprocessed_.pop_back_val());
  return clone;
}

Function& Discovery::clone_for_caller(Function& original, Flavour flavour, StringRef caller) {
  Function& clone = clone_of(original, flavour, {});
  callers_[&clone] = caller.str();  // before it is looked into: errors name it
  return clone_of_root(original, flavour);
}

Function& Discovery::clone_of(Function& original, Flavour flavour, const Origin& origin) {
  Function*& clone = clones_[{&original, static_cast<unsigned>(flavour)}];
  if (clone == nullptr) clone = find_clone(original, flavour);
  has_serial_parts_ |= flavour == Flavour::serial;
  if (clone == nullptr) {
    clone = &make_clone(original, flavour);
    origins_[clone] = origin;
    unprocessed_.push_back(clone);
  }
  return *clone;
}

void Discovery::process(Function& clone) {
  SmallVector<std::pair<CallBase*, Flavour>> calls;
  restore_frees(clone);
  make_initialisations_plain(clone);
  make_atomics_plain(clone);
  copy_argument_lists_as_memory(clone);
  make_serial_before_calls(clone, [this](const CallBase& call) { return is_left_to_linker(call); });
  const SerialParts serial(clone, flavour_of(clone));
  for (Instruction& instruction : instructions(clone)) {
    const auto refusal = why_unsupported(instruction);
    if (refusal && !serial.permits(instruction) && !is_left_to_linker(instruction))
      refuse(instruction, refusal->what, refusal->remedy);
    else if (auto* const call = dyn_cast<CallBase>(&instruction))
      calls.push_back({call, serial.contains(instruction) ? Flavour::serial : Flavour::ordinary});
  }
  for (const auto& [call, flavour] : calls)
    if (flavour == Flavour::serial && (why_unsupported(*call) || is_other_code(*call)))
      process_serial_call(*call);
    else
      process_call(*call, flavour);
}

/// What ordinary transactions cannot call, and other code.
void Discovery::process_serial_call(CallBase& call) {
  has_serial_parts_ = true;
  const bool is_marked = rule_for(call) == CallRule::serial_only;
  if (is_marked && !callee_of(call)->isDeclaration())
    call_clone(call, Flavour::serial);
  else if (is_left_to_linker(call))
    await_clone(call, Flavour::serial);
  else if (is_marked)
    call_serial_clone_if_linked(call);
  else
    call_as_it_is(call);
}

void Discovery::call_clone(CallBase& call, Flavour flavour) {
  redirect(call, clone_of(*callee_of(call), flavour, {call.getFunction(), call.getDebugLoc()}));
  // What a serial clone holds must not get into one that is judged as all others.
  if (flavour != flavour_of(*call.getFunction())) call.addFnAttr(Attribute::NoInline);
}

/// What a transaction in a clone runs; null, with an error, when that is not known.
Function* Discovery::body_in_clone(CallBase& call) {
  Function* const body = body_of_run(call);
  if (body == nullptr) {
    refuse(call, unknown_body_message, unknown_body_remedy);
    return nullptr;
  }
  // That of a run which has been replaced already, in a function that is cloned only now.
  Function* const original = body->getParent()->getFunction(original_symbol(body->getName()));
  const bool is_replaced =
      is_clone(*body) && original != nullptr && !original->isDeclaration() && may_share_names(*original, *body);
  return is_replaced ? original : body;
}

/// The runtime calls the body, behind a checkpoint of its own.
void Discovery::run_part(CallBase& call, Flavour flavour) {
  if (Function* const body = body_in_clone(call))
    call.setArgOperand(0, &clone_of(*body, flavour, {call.getFunction(), call.getDebugLoc()}));
}

void Discovery::run_nested(CallBase& call, Flavour flavour) {
  Function* const body = body_in_clone(call);
  if (body == nullptr) return;
  if (flavour == Flavour::ordinary && is_run_serial_symbol(callee_of(call)->getName())) {
    flavour = Flavour::serial;
    IRBuilder<>(&call).CreateCall(EntryPoints(*call.getModule()).become_serial());
  }
  Function& clone = clone_of(*body, flavour, {call.getFunction(), call.getDebugLoc()});
  CallBase& direct = call_body_directly(call, clone);
  if (flavour != flavour_of(*direct.getFunction())) direct.addFnAttr(Attribute::NoInline);
}

void Discovery::process_call(CallBase& call, Flavour flavour) {
  switch (rule_for(call)) {
    case CallRule::has_body:
      call_clone(call, flavour);
      break;
    case CallRule::defined_elsewhere:
      redirect(call, declare_clone(*callee_of(call)));
      break;
    case CallRule::runs_nested:
      run_nested(call, flavour);
      break;
    case CallRule::runs_part:
      run_part(call, flavour);
      break;
    case CallRule::replaced:
      call_replacement(call, flavour);
      break;
    case CallRule::privately:
      call_privately(call, describe(call));
      break;
    case CallRule::unknown:
      await_clone(call, flavour);
      break;
    case CallRule::indirect:
      call_through_table(call);
      break;
    case CallRule::provided:
    case CallRule::stays:
      // Inlined, the function's accesses would be taken for the clone's own.
      if (!callee_of(call)->isIntrinsic()) call.addFnAttr(Attribute::NoInline);
      break;
    default:
      break;
  }
}

void Discovery::redirect(CallBase& call, Function& target) {
  call.setCalledFunction(&target);
  call.removeFnAttr(Attribute::Builtin);
}

bool Discovery::is_left_to_linker(const Instruction& instruction) const {
  return files_ == Files::one_for_linker && is_perhaps_in_another_file(instruction);
}

/// For serial transactions: a file without the plugin defines it, so it stays as it is, though the linker shows it.
bool Discovery::is_other_code(const CallBase& call) const {
  const Function* const callee = callee_of(call);
  return files_ == Files::all && callee != nullptr && rule_for(call) == CallRule::has_body &&
         is_from_file_without_plugin(*callee);
}

void Discovery::await_clone(CallBase& call, Flavour flavour) {
  Function& callee = *callee_of(call);
  Function& clone = declare_clone(callee, flavour);
  clone.addFnAttr(awaited_marking, describe(call));
  // Though nothing refers to it yet, the linker must take the function.
  appendToCompilerUsed(*call.getModule(), {&callee});
  if (flavour == Flavour::ordinary) return redirect(call, clone);
  clone.addFnAttr(serial_clone_marking);
  call_serial_clone_if_linked(call);  // also the machine code that may lie beside what the linker optimises must link
}

/// What was known of the other function does not hold for this one.
void Discovery::call_replacement(CallBase& call, Flavour flavour) {
  Function& replacement = replacement_of(*callee_of(call));
  redirect(call, replacement);
  const AttributeList attributes = replacement.getAttributes();
  SmallVector<AttributeSet> of_parameters;
  for (unsigned i = 0; i < replacement.arg_size(); ++i) of_parameters.push_back(attributes.getParamAttrs(i));
  call.setAttributes(AttributeList::get(call.getContext(), {}, attributes.getRetAttrs(), of_parameters));
  if (const auto refusal = why_unsupported(call); refusal && !is_left_to_linker(call))
    refuse(call, refusal->what, refusal->remedy);
  else
    process_call(call, flavour);
}

/// The lookup depends on the function alone, so one serves for all calls of it in a loop. It may end the program,
/// though, so it stays behind the condition that it is under.
void Discovery::call_through_table(CallBase& call) {
  IRBuilder<> builder(&call);
  EntryPoints entry_points(*call.getModule());
  CallInst* const clone = builder.CreateCall(entry_points.clone_of(),
                                             {call.getCalledOperand(), builder.CreateGlobalString(describe(call))});
  clone->setDoesNotAccessMemory();
  clone->setDoesNotThrow();
  call.setCalledOperand(clone);
  call.addFnAttr(Attribute::get(call.getContext(), clone_marking));
  for (const auto kind : {LLVMContext::MD_callees, LLVMContext::MD_prof}) call.setMetadata(kind, nullptr);
}

/// Where a call is, for messages of the running program.
std::string Discovery::describe(const CallBase& call) const {
  Function& clone = *const_cast<Function*>(call.getFunction());
  std::string text = place(point_of(call.getDebugLoc())) + ", in '" + source_name(clone) + "'";
  const Message root = chain_to(clone).back();
  return root.point.line == 0 ? text : text + ", reached from " + place(root.point);
}

void Discovery::refuse(const Instruction& instruction, StringRef what, StringRef remedy) {
  SmallVector<Message> notes = chain_to(*const_cast<Function*>(instruction.getFunction()));
  SourcePoint point = point_of(instruction.getDebugLoc());
  if (point.line == 0) point = point_of(*instruction.getFunction());
  notes.push_back({point, remedy.str()});
  if (files_ == Files::one_for_thin_linker && is_perhaps_in_another_file(instruction) &&
      reason_to_refuse(callee_of(cast<CallBase>(instruction))->getName()).empty())
    notes.push_back({point,
                     "-flto=thin does not help, since the linker then sees one file at a time: with -flto, for all "
                     "files and for linking, it takes the function's definition from any of them"});
  const auto* const call = dyn_cast<CallBase>(&instruction);
  if (call != nullptr && is_for_serial_transactions(*call) && !std::exchange(has_named_serial_calls_, true))
    notes.push_back({point, "or have such calls make the transaction serial: compile with perdure-c++ --serial-calls"});
  reporter_.error({point, what.str()}, notes);
}

/// From the function that holds the error up to the transaction. The library's own frames (perdure::execute and the
/// like) say nothing to the programmer and are left out.
SmallVector<Message> Discovery::chain_to(Function& clone) const {
  SmallVector<Message> notes;
  Function* current = &clone;
  for (Origin origin = origins_.lookup(current); origin.caller != nullptr && !is_library_frame(*origin.caller);
       origin = origins_.lookup(current)) {
    notes.push_back({point_of(origin.location), "called from here, in '" + source_name(*origin.caller) + "'"});
    current = origin.caller;
  }
  if (const auto caller = callers_.find(current); caller != callers_.end()) {
    notes.push_back({{}, "called from " + caller->second});
    return notes;
  }
  const bool is_safe = current->hasFnAttribute(safe_marking) && origins_.lookup(current).caller == nullptr;
  notes.push_back({point_of(*current), is_safe ? "'" + source_name(*current) +
                                                     "' is marked [[perdure::safe]] here: "
                                                     "transactions may call it"
                                               : "the transaction begins here"});
  return notes;
}

}  // namespace perdure::plugin
