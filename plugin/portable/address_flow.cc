#include "portable/address_flow.h"

#include <llvm/ADT/STLExtras.h>
#include <llvm/IR/Constants.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/Instructions.h>

#include <utility>
#include <vector>

#include "common/library_functions.h"
#include "common/markings.h"
#include "common/runtime_interface.h"
#include "discover/boundary.h"
#include "discover/call_rules.h"

namespace perdure::plugin {

using namespace llvm;

namespace {

constexpr Place elsewhere = {};
constexpr std::uint64_t all_bytes = UINT64_MAX;

/// Steps of a loop would go on for ever: beyond so many, any offset is possible.
constexpr unsigned most_offsets = 8;

/// A value that may lead to more places than that leads anywhere, and all of them may be kept elsewhere. (Or the time
/// that it takes would grow with the square of the program.)
constexpr std::size_t most_places = 32;

/// Beyond so many stores it is not told apart where in a local they are.
constexpr std::size_t most_contents = 64;

Place moved(const Place& place, std::optional<std::int64_t> bytes) {
  const bool is_known = bytes && place.offset != Place::anywhere;
  return {place.object, is_known ? place.offset + *bytes : Place::anywhere};
}

Place somewhere_in(const Place& place) { return {place.object, Place::anywhere}; }

/// Of functions that no transaction runs, larger ones are not looked into: they are the program's, not its accessors.
constexpr unsigned most_instructions_of_others = 64;

bool is_worth_following(const Function& callee, const CallBase& call) {
  return !callee.isDeclaration() && !callee.isVarArg() && callee.arg_size() == call.arg_size() &&
         (is_clone(callee) || callee.getInstructionCount() <= most_instructions_of_others);
}

/// What translates a pointer, whatever the place is that it is for: which argument the pointer is.
std::optional<unsigned> translated_argument(StringRef symbol) {
  if (symbol == code_address_symbol) return 1;
  if (symbol == encode_pointer_symbol || symbol == decode_pointer_symbol) return 0;
  return std::nullopt;
}

/// Instructions whose result is one of their operands, or a part, or made of them.
bool passes_values_on(const Instruction& instruction) {
  return isa<PHINode, SelectInst, FreezeInst, BitCastInst, PtrToIntInst, IntToPtrInst, ExtractValueInst,
             InsertValueInst, ExtractElementInst, InsertElementInst, ShuffleVectorInst>(instruction);
}

bool is_comparison(const Instruction& instruction) { return isa<CmpInst>(instruction); }

StringRef symbol_of(const CallBase& call) {
  const Function* const callee = callee_of(call);
  return callee == nullptr ? StringRef() : callee->getName();
}

/// What says something to the optimiser or to the runtime, and does nothing that matters here.
bool is_without_effect(const CallBase& call) {
  if (symbol_of(call) == save_local_symbol) return true;
  const auto* const intrinsic = dyn_cast<IntrinsicInst>(&call);
  return intrinsic != nullptr && intrinsic->isAssumeLikeIntrinsic() && intrinsic->getType()->isVoidTy();
}

}  // namespace

void AddressFlow::begin_at(const Function& function) {
  follow(function);
  for (const Argument& argument : function.args()) add(argument, elsewhere);
}

void AddressFlow::solve() {
  do {
    has_changed_ = false;
    for (unsigned i = 0; i < functions_.size(); ++i)
      for (const Instruction& instruction : instructions(*functions_[i])) visit(instruction);
  } while (has_changed_);
}

const std::set<Place>* AddressFlow::places_of(const Value& value) const {
  const auto found = places_.find(&value);
  return found == places_.end() ? nullptr : &found->second;
}

const std::set<Held>& AddressFlow::contents_of(const Value& object) const {
  static const std::set<Held> nothing;
  const auto found = contents_.find(&object);
  return found == contents_.end() ? nothing : found->second;
}

bool AddressFlow::may_hold_address(Type& type) const {
  return type.isSized() && size_of(type) >= layout_.getPointerSize();
}

/// Nothing as long as nothing has been found, in a loop for instance.
AddressFlow::Places AddressFlow::held_by(const Value& value) const {
  if (isa<UndefValue>(value)) return {};
  if (!isa<Instruction, Argument>(value) || !may_hold_address(*value.getType())) return {elsewhere};
  const Places* const known = places_of(value);
  return known == nullptr ? Places() : *known;
}

void AddressFlow::add(const Value& value, const Places& places) {
  for (const Place& place : places) add(value, place);
}

void AddressFlow::add(const Value& value, Place place) {
  if (leads_anywhere_.contains(&value)) return lose(place.object, value);
  if (place.object != nullptr && place.offset != Place::anywhere) {
    const Places& known = places_[&value];
    const auto is_of_object = [&](const Place& other) { return other.object == place.object; };
    if (known.contains(somewhere_in(place))) return;
    if (!known.contains(place) && count_if(known, is_of_object) >= most_offsets) place = somewhere_in(place);
  }
  Places& places = places_[&value];
  if (!places.insert(place).second) return;
  has_changed_ = true;
  if (places.size() < most_places) return;
  leads_anywhere_.insert(&value);
  for (const Place& known : std::exchange(places, {elsewhere})) lose(known.object, value);
}

/// What leads anywhere may lead to the object.
void AddressFlow::lose(const Value* object, const Value& by) {
  if (object == nullptr || escape_of(*object) != nullptr) return;
  const auto* const instruction = dyn_cast<Instruction>(&by);
  escape(object, instruction != nullptr ? *instruction : cast<Argument>(by).getParent()->getEntryBlock().front());
  written_.insert(object);
}

/// So do those of all that it holds: whoever has it can take them out.
void AddressFlow::escape(const Value* object, const Instruction& by) {
  if (object == nullptr || !escapes_.insert({object, &by}).second) return;
  has_changed_ = true;
  for (const Held& held : contents_of(*object)) escape(held.place.object, by);
}

bool AddressFlow::overlaps(const Held& held, const Range& range) const {
  if (held.offset == Place::anywhere || range.begin.offset == Place::anywhere || held.bytes == all_bytes ||
      range.bytes == all_bytes)
    return true;
  const auto end = [](std::int64_t begin, std::uint64_t bytes) { return begin + static_cast<std::int64_t>(bytes); };
  return held.offset < end(range.begin.offset, range.bytes) && range.begin.offset < end(held.offset, held.bytes);
}

void AddressFlow::visit(const Instruction& instruction) {
  if (isa<AllocaInst>(instruction))
    add(instruction, {&instruction, 0});
  else if (const auto* const step = dyn_cast<GetElementPtrInst>(&instruction))
    visit_step(instruction, *step);
  else if (const auto* const load = dyn_cast<LoadInst>(&instruction))
    visit_load(*load, *load->getPointerOperand());
  else if (const auto* const store = dyn_cast<StoreInst>(&instruction))
    visit_store(*store, *store->getValueOperand(), *store->getPointerOperand());
  else if (const auto* const change = dyn_cast<AtomicRMWInst>(&instruction)) {
    visit_load(*change, *change->getPointerOperand());
    visit_store(*change, *change->getValOperand(), *change->getPointerOperand());
  } else if (const auto* const exchange = dyn_cast<AtomicCmpXchgInst>(&instruction)) {
    visit_load(*exchange, *exchange->getPointerOperand());
    visit_store(*exchange, *exchange->getNewValOperand(), *exchange->getPointerOperand());
  } else if (const auto* const transfer = dyn_cast<MemTransferInst>(&instruction))
    visit_transfer(*transfer);
  else if (const auto* const call = dyn_cast<CallBase>(&instruction))
    visit_call(*call);
  else if (const auto* const result = dyn_cast<ReturnInst>(&instruction)) {
    if (const Value* const value = result->getReturnValue())
      for (const Place& place : held_by(*value))
        has_changed_ |= results_[instruction.getFunction()].insert(place).second;
  } else if (!is_comparison(instruction))
    derive(instruction, passes_values_on(instruction));
}

void AddressFlow::derive(const Instruction& instruction, bool keeps_offsets) {
  if (!may_hold_address(*instruction.getType())) return;
  if (instruction.getNumOperands() == 0) return add(instruction, elsewhere);
  for (const Use& operand : instruction.operands())
    for (const Place& place : held_by(*operand)) add(instruction, keeps_offsets ? place : somewhere_in(place));
}

void AddressFlow::visit_step(const Instruction& step, const GetElementPtrInst& address) {
  APInt bytes(layout_.getIndexTypeSizeInBits(address.getType()), 0);
  const bool is_constant = !step.getType()->isVectorTy() && address.accumulateConstantOffset(layout_, bytes);
  for (const Place& place : held_by(*address.getPointerOperand()))
    add(step, moved(place, is_constant ? std::optional(bytes.getSExtValue()) : std::nullopt));
}

void AddressFlow::visit_load(const Instruction& instruction, const Value& pointer) {
  const std::uint64_t bytes = size_of(*instruction.getType());
  for (const Place& place : held_by(pointer)) load(instruction, {place, bytes});
}

void AddressFlow::load(const Instruction& load, const Range& from) {
  const bool is_whole = may_hold_address(*load.getType());
  if (is_whole && (from.begin.object == nullptr || escape_of(*from.begin.object) != nullptr)) add(load, elsewhere);
  if (from.begin.object == nullptr) return;
  for (const Held& held : contents_of(*from.begin.object)) {
    if (!overlaps(held, from)) continue;
    const bool is_same = held.offset == from.begin.offset && held.bytes == from.bytes;
    if (is_whole)
      add(load, is_same ? held.place : somewhere_in(held.place));
    else
      escape(held.place.object, load);  // piece by piece
  }
}

void AddressFlow::visit_store(const Instruction& instruction, const Value& value, const Value& pointer) {
  const Places values = held_by(value);
  const std::uint64_t bytes = size_of(*value.getType());
  for (const Place& place : held_by(pointer)) store(instruction, values, {place, bytes});
}

void AddressFlow::store(const Instruction& by, const Places& values, const Range& to) {
  const bool is_known_elsewhere = to.begin.object == nullptr || escape_of(*to.begin.object) != nullptr;
  if (is_known_elsewhere)
    for (const Place& value : values) escape(value.object, by);
  if (to.begin.object == nullptr) return;
  note_write(by, *to.begin.object);
  for (const Place& value : values) hold(*to.begin.object, {to.begin.offset, to.bytes, value, &by});
}

/// Of what is no address the stores are not told apart; and an array whose elements are moved would fill without end.
void AddressFlow::hold(const Value& object, Held held) {
  std::set<Held>& contents = contents_[&object];
  if (contents.size() >= most_contents) held = {Place::anywhere, all_bytes, held.place, held.store};
  const bool is_told_apart = held.place.object != nullptr && contents.size() < most_contents;
  const auto same = contents.lower_bound({held.offset, held.bytes, held.place, is_told_apart ? held.store : nullptr});
  const bool is_known = same != contents.end() && same->offset == held.offset && same->bytes == held.bytes &&
                        same->place == held.place && (!is_told_apart || same->store == held.store);
  if (is_known) return;
  contents.insert(held);
  has_changed_ = true;
}

void AddressFlow::note_write(const Instruction& by, const Value& object) {
  if (is_clone(*by.getFunction())) written_.insert(&object);
}

void AddressFlow::visit_transfer(const MemTransferInst& transfer) {
  const auto* const length = dyn_cast<ConstantInt>(transfer.getLength());
  const std::uint64_t bytes = length == nullptr ? all_bytes : length->getZExtValue();
  for (const Place& to : held_by(*transfer.getRawDest()))
    for (const Place& from : held_by(*transfer.getRawSource())) copy(transfer, to, {from, bytes});
}

void AddressFlow::copy(const Instruction& by, const Place& to, const Range& from) {
  const bool is_of_unknown = from.begin.object == nullptr || escape_of(*from.begin.object) != nullptr;
  if (is_of_unknown) store(by, {elsewhere}, {to, from.bytes});
  if (to.object != nullptr) note_write(by, *to.object);
  if (from.begin.object == nullptr) return;
  const std::set<Held>& contents = contents_of(*from.begin.object);
  for (const Held& held : std::vector<Held>(contents.begin(), contents.end())) {
    if (!overlaps(held, from)) continue;
    const bool is_known = held.offset != Place::anywhere && from.begin.offset != Place::anywhere;
    const auto distance = is_known ? std::optional(held.offset - from.begin.offset) : std::nullopt;
    store(by, {held.place}, {moved(to, distance), held.bytes});
  }
}

void AddressFlow::visit_call(const CallBase& call) {
  if (is_without_effect(call)) return;
  if (const auto* const set = dyn_cast<MemSetInst>(&call)) {
    for (const Place& place : held_by(*set->getRawDest())) store(call, {elsewhere}, {place, all_bytes});
    return;
  }
  const Function* const callee = callee_of(call);
  if (callee != nullptr && (is_run_symbol(callee->getName()) || callee->getName() == nested_symbol)) {
    if (const Function* const body = body_of_run(call)) return visit_run(call, *body);
  } else if (callee != nullptr && is_worth_following(*callee, call)) {
    return visit_followed_call(call, *callee);
  }
  visit_other_call(call);
}

void AddressFlow::visit_run(const CallBase& run, const Function& body) {
  follow(body);
  add(*body.getArg(0), held_by(*run.getArgOperand(1)));
}

void AddressFlow::visit_followed_call(const CallBase& call, const Function& callee) {
  follow(callee);
  for (const Argument& parameter : callee.args()) {
    const Places given = held_by(*call.getArgOperand(parameter.getArgNo()));
    if (!parameter.hasByValAttr()) {
      add(parameter, given);
      continue;
    }
    add(parameter, {&parameter, 0});
    for (const Place& place : given) copy(call, {&parameter, 0}, {place, size_of(*parameter.getParamByValType())});
  }
  if (may_hold_address(*call.getType())) add(call, results_[&callee]);
}

void AddressFlow::visit_other_call(const CallBase& call) {
  if (const auto argument = translated_argument(symbol_of(call)))
    return add(call, held_by(*call.getArgOperand(*argument)));
  for (unsigned i = 0; i < call.arg_size(); ++i) give(call, i);
  if (may_hold_address(*call.getType())) add(call, elsewhere);
}

/// What a call does with a pointer that it is given, where it is not followed.
ArgumentUse AddressFlow::use_of(const CallBase& call, unsigned argument) {
  const StringRef symbol = symbol_of(call);
  if (call.doesNotAccessMemory() || call.isByValArgument(argument) || only_reads_arguments(symbol))
    return ArgumentUse::reads;
  if (touches_only_arguments(symbol)) return ArgumentUse::writes;
  return argument_uses_.of(call, argument);
}

/// The call may take out what the argument leads to, and put something else there.
void AddressFlow::give(const CallBase& call, unsigned argument) {
  const Places places = held_by(*call.getArgOperand(argument));
  if (none_of(places, [](const Place& place) { return place.object != nullptr; })) return;
  const ArgumentUse use = use_of(call, argument);
  const bool gives_back = call.doesNotAccessMemory() || touches_only_arguments(symbol_of(call));
  for (const Place& place : places) {
    if (place.object == nullptr) continue;
    if (gives_back && may_hold_address(*call.getType())) add(call, somewhere_in(place));
    if (use == ArgumentUse::keeps) {
      escape(place.object, call);
      note_write(call, *place.object);
    } else if (use == ArgumentUse::writes) {
      store(call, {elsewhere}, {somewhere_in(place), all_bytes});
    }
    if (call.doesNotAccessMemory() || only_reads_arguments(symbol_of(call))) continue;
    if (escape_of(*place.object) != nullptr) continue;  // so does what it holds
    const std::set<Held>& contents = contents_of(*place.object);
    for (const Held& held : std::vector<Held>(contents.begin(), contents.end())) escape(held.place.object, call);
  }
}

}  // namespace perdure::plugin
