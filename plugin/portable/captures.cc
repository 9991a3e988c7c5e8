#include "portable/captures.h"

#include <llvm/ADT/STLExtras.h>
#include <llvm/Demangle/Demangle.h>
#include <llvm/IR/Argument.h>
#include <llvm/IR/DataLayout.h>
#include <llvm/IR/Module.h>

#include "abi/operation_frame.h"
#include "common/diagnose.h"
#include "discover/call_rules.h"

namespace perdure::plugin {

using namespace llvm;

namespace {

constexpr unsigned closure_argument = 1;

Obstacle about_locals(StringRef kind, StringRef what, const Instruction& at) { return {kind, what.str(), &at}; }

/// Where a pointer comes from that leads to no local: of ordinary memory nothing is known.
std::string origin_of(const Value& pointer) {
  if (const auto* const argument = dyn_cast<Argument>(&pointer))
    return "argument " + std::to_string(argument->getArgNo() + 1) + " of '" + source_name(*argument->getParent()) + "'";
  if (const auto* const call = dyn_cast<CallBase>(&pointer)) {
    const Function* const callee = callee_of(*call);
    return callee == nullptr ? "a call through a pointer" : "a call of '" + source_name(*callee) + "'";
  }
  if (isa<GlobalValue>(pointer)) return "the address of '" + demangle(pointer.getName()) + "'";
  return isa<LoadInst>(pointer) ? "a pointer in memory" : "a computed pointer";
}

/// Follows the pointers from the closure, from local to local.
class Search {
 public:
  Search(const CallBase& run, const AddressFlow& flow, const DominatorTree& dominators)
      : run_(run), flow_(flow), dominators_(dominators), layout_(run.getModule()->getDataLayout()) {}

  Captures find() {
    const std::set<Place>* const places = flow_.places_of(*run_.getArgOperand(closure_argument));
    const bool is_one = places != nullptr && places->size() == 1 && is_own(*places->begin());
    if (!is_one || places->begin()->offset != 0) {
      refuse("closure", "what it captures is not a local of the function that runs it");
      return std::move(captures_);
    }
    add(*cast<AllocaInst>(places->begin()->object));
    for (unsigned i = 0; i < captures_.locals.size() && !captures_.obstacle; ++i) follow(i);
    return std::move(captures_);
  }

 private:
  bool is_own(const Place& place) const {
    const auto* const variable = dyn_cast_or_null<AllocaInst>(place.object);
    return variable != nullptr && variable->getFunction() == run_.getFunction();
  }

  void refuse(StringRef kind, StringRef what, const Instruction* at = nullptr) {
    if (!captures_.obstacle) captures_.obstacle = about_locals(kind, what, at != nullptr ? *at : run_);
  }

  /// \returns the number of the local.
  unsigned add(const AllocaInst& variable) {
    const auto* const known =
        find_if(captures_.locals, [&](const Captures::Local& local) { return local.variable == &variable; });
    if (known != captures_.locals.end()) return known - captures_.locals.begin();
    const auto size = variable.isStaticAlloca() ? variable.getAllocationSize(layout_) : std::nullopt;
    if (!size || size->isScalable())
      refuse("size", "it captures a local whose size is not fixed", &variable);
    else
      captures_.locals.push_back({&variable, size->getFixedValue(), flow_.is_written(variable)});
    if (total_bytes() > abi::OperationFrame::max_bytes)
      refuse("size", "it captures more than " + std::to_string(abi::OperationFrame::max_bytes) + " bytes of locals");
    if (const Instruction* const escape = flow_.escape_of(variable))
      refuse("escape", "the address of a local that it captures may be kept elsewhere", escape);
    return captures_.locals.size() - 1;
  }

  std::uint64_t total_bytes() const {
    std::uint64_t bytes = 0;
    for (const Captures::Local& local : captures_.locals) bytes += local.bytes;
    return bytes;
  }

  void follow(unsigned holder) {
    for (const Held& held : flow_.contents_of(*captures_.locals[holder].variable))
      if (is_own(held.place))
        follow(holder, held);
      else
        note_other(holder, held);
  }

  /// One of perhaps several stores of the same.
  void follow(unsigned holder, const Held& held) {
    if (!is_clear(*captures_.locals[holder].variable, held))
      return refuse("pointer", "a pointer in what it captures may lead to different locals", held.store);
    const auto is_same = [&](const Captures::Pointer& other) {
      return other.holder == holder && other.holder_offset == held.offset;
    };
    if (any_of(captures_.pointers, is_same)) return;
    const unsigned target = add(*cast<AllocaInst>(held.place.object));
    captures_.pointers.push_back({holder, held.offset, target, held.place.offset});
  }

  /// Whether the address lies there, and nothing else, when the operation begins and ever after.
  bool is_clear(const Value& holder, const Held& held) const {
    const bool is_pointer = held.offset >= 0 && held.bytes == layout_.getPointerSize() && held.place.offset >= 0;
    const auto overlaps = [&](const Held& other) {
      return other.offset == Place::anywhere || other.bytes == UINT64_MAX ||
             (other.offset < held.offset + static_cast<std::int64_t>(held.bytes) &&
              held.offset < other.offset + static_cast<std::int64_t>(other.bytes));
    };
    bool is_there = false;
    for (const Held& other : flow_.contents_of(holder)) {
      if (!overlaps(other)) continue;
      if (other.offset != held.offset || other.bytes != held.bytes || other.place != held.place) return false;
      if (other.store->getFunction() != run_.getFunction()) return false;
      is_there |= dominators_.dominates(other.store, &run_);
    }
    return is_pointer && is_there;
  }

  void note_other(unsigned holder, const Held& held) {
    const auto* const store = dyn_cast<StoreInst>(held.store);
    if (store == nullptr || store->getFunction() != run_.getFunction() || held.offset == Place::anywhere) return;
    const Value& value = *store->getValueOperand();
    const auto is_same = [&](const Captures::Other& other) {
      return other.holder == holder && other.holder_offset == held.offset;
    };
    if (!value.getType()->isPointerTy() || isa<ConstantPointerNull>(value) || any_of(captures_.others, is_same)) return;
    captures_.others.push_back({holder, held.offset, origin_of(value)});
  }

  const CallBase& run_;
  const AddressFlow& flow_;
  const DominatorTree& dominators_;
  const DataLayout& layout_;
  Captures captures_;
};

}  // namespace

Captures captures_of(const CallBase& run, const AddressFlow& flow, const DominatorTree& dominators) {
  return Search(run, flow, dominators).find();
}

}  // namespace perdure::plugin
