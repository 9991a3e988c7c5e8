#include "portable/past_entry_points.h"

#include <llvm/ADT/STLExtras.h>
#include <llvm/ADT/SetVector.h>
#include <llvm/ADT/StringSet.h>
#include <llvm/Analysis/ValueTracking.h>
#include <llvm/Demangle/Demangle.h>
#include <llvm/IR/GlobalVariable.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/Instructions.h>
#include <llvm/IR/IntrinsicInst.h>

#include "common/diagnose.h"
#include "common/markings.h"
#include "common/runtime_interface.h"
#include "discover/call_rules.h"
#include "discover/clone.h"
#include "discover/static_guards.h"
#include "elide/elisions.h"

namespace perdure::plugin {

using namespace llvm;

namespace {

constexpr StringLiteral parts_that_throw[] = {
#define PERDURE_THROWS(part) part,
#include "portable/repeatable_calls.def"
};

constexpr StringLiteral parts_with_state[] = {
#define PERDURE_KEEPS_STATE(part) part,
#include "portable/repeatable_calls.def"
};

StringSet<> repeatable_symbols() {
  StringSet<> symbols;
  const auto add = [&](StringRef names, std::initializer_list<StringRef> suffixes) {
    SmallVector<StringRef> each;
    names.split(each, ' ', -1, /*KeepEmpty=*/false);
    for (const StringRef name : each)
      for (const StringRef suffix : suffixes) symbols.insert((name + suffix).str());
  };
#define PERDURE_REPEATABLE(symbol) symbols.insert(symbol);
#include "portable/repeatable_calls.def"
#define PERDURE_C_REAL_AS_IS(names) add(names, {"", "f", "l"});
#define PERDURE_C_BITS_AS_IS(names) add(names, {"uc", "us", "ui", "ul", "ull"});
#include "abi/c_library.def"
  return symbols;
}

bool contains_any(StringRef symbol, ArrayRef<StringLiteral> parts) {
  return any_of(parts, [&](StringRef part) { return symbol.contains(part); });
}

/// Whether it does the same in any thread, as often as need be.
bool is_repeatable(const Function& callee) {
  static const StringSet<> symbols = repeatable_symbols();
  const StringRef symbol = callee.getName();
  return callee.doesNotAccessMemory() || symbols.contains(symbol) || contains_any(symbol, parts_that_throw);
}

Obstacle obstacle(StringRef kind, const Twine& what, const Instruction& at) { return {kind, what.str(), &at}; }

std::string quoted(const Function& function) { return "'" + source_name(function) + "'"; }

Obstacle thread_local_variable(const Instruction& at) {
  return obstacle("thread-local", "it uses a variable of the thread", at);
}

const GlobalVariable* variable_behind(const Value& pointer) {
  return dyn_cast<GlobalVariable>(getUnderlyingObject(&pointer));
}

bool is_ordinary_variable(const Value& pointer) {
  const GlobalVariable* const variable = variable_behind(pointer);
  return variable != nullptr && !variable->isConstant();
}

/// Accesses of variables of the program: they lie in no pool, so the entry points would always give the block back.
std::optional<Obstacle> of_access(const Instruction& access) {
  SmallVector<const Value*, 2> pointers;
  if (const Value* const pointer = getLoadStorePointerOperand(&access)) pointers.push_back(pointer);
  if (const auto* const memory = dyn_cast<MemIntrinsic>(&access)) pointers.push_back(memory->getRawDest());
  if (const auto* const transfer = dyn_cast<MemTransferInst>(&access)) pointers.push_back(transfer->getRawSource());
  const auto* const found = find_if(pointers, [](const Value* pointer) { return is_ordinary_variable(*pointer); });
  if (found == pointers.end() || elision_of(access) != nullptr) return std::nullopt;
  return obstacle("variable",
                  "it accesses '" + demangle(variable_behind(**found)->getName()) +
                      "', which lies in no pool: capture its value, or a reference to what it leads to",
                  access);
}

std::optional<Obstacle> of_thread_local(const Instruction& instruction) {
  const auto* const intrinsic = dyn_cast<IntrinsicInst>(&instruction);
  const bool is_address = intrinsic != nullptr && intrinsic->getIntrinsicID() == Intrinsic::threadlocal_address;
  const auto is_thread_local = [](const Use& operand) {
    const auto* const variable = dyn_cast<GlobalVariable>(operand->stripPointerCasts());
    return variable != nullptr && variable->isThreadLocal();
  };
  if (!is_address && none_of(instruction.operands(), is_thread_local)) return std::nullopt;
  return thread_local_variable(instruction);
}

/// Calls of what is no function of the program.
std::optional<Obstacle> of_entry_point(const CallBase& call, const Function& callee) {
  const StringRef symbol = callee.getName();
  if (symbol == become_serial_symbol) return obstacle("serial", "it becomes a serial transaction", call);
  if (symbol == guard_acquire_symbol) return obstacle("static-local", "it initialises a static variable", call);
  if (symbol == nested_symbol) return obstacle("nested-part", "it has a part that can be undone alone", call);
  if (symbol.starts_with(private_wrapper_symbol("")) || symbol.starts_with("perdure_private_"))
    return obstacle("library-object", "it works on an object of the C++ library by way of " + quoted(callee), call);
  return std::nullopt;
}

std::optional<Obstacle> of_kept_call(const CallBase& call, const Function& callee) {
  if (callee.getName().starts_with("_ZTW")) return thread_local_variable(call);
  if (callee.isIntrinsic() || call.doesNotAccessMemory() || is_repeatable(callee)) return std::nullopt;
  return obstacle("kept-call",
                  "it calls " + quoted(callee) + " as it is, which may depend on the thread, or do something twice",
                  call);
}

std::optional<Obstacle> of_clone(const CallBase& call, const Function& callee) {
  if (is_entry_point(callee.getName())) return of_entry_point(call, callee);
  if (!callee.isDeclaration() || is_provided(original_symbol(callee.getName()))) return std::nullopt;
  return obstacle("other-file", "it calls " + quoted(callee) + ", which is defined in another file", call);
}

/// The function that a lookup in the table of clones finds, if it is known.
const Function* found_by_lookup(const CallBase& call) {
  const auto* const lookup = dyn_cast<CallInst>(call.getCalledOperand());
  const Function* const table = lookup != nullptr ? lookup->getCalledFunction() : nullptr;
  if (table == nullptr || table->getName() != clone_of_symbol) return nullptr;
  auto* const function = dyn_cast<Function>(lookup->getArgOperand(0)->stripPointerCastsAndAliases());
  return function != nullptr ? find_clone(*function) : nullptr;
}

const Function* callee_in_clone(const CallBase& call) {
  const Function* const callee = callee_of(call);
  return callee != nullptr ? callee : found_by_lookup(call);
}

Obstacle of_pointer_call(const CallBase& call) {
  return obstacle("pointer-call", "it calls a function through a pointer", call);
}

std::optional<Obstacle> of_call(const CallBase& call) {
  const Function* const callee = callee_in_clone(call);
  switch (rule_for(call)) {
    case CallRule::assembly:
      return obstacle("assembly", "it has inline assembly", call);
    case CallRule::indirect:
      return of_pointer_call(call);
    case CallRule::already_done:
      return callee == nullptr ? of_pointer_call(call) : of_clone(call, *callee);
    case CallRule::runs_part:
      return of_entry_point(call, *callee);
    case CallRule::privately:
      return obstacle("library-object", "it works on an object of the C++ library by way of " + quoted(*callee), call);
    case CallRule::provided:
      if (!contains_any(callee->getName(), parts_with_state)) return std::nullopt;
      return obstacle("kept-call", "it calls " + quoted(*callee) + ", which keeps a state", call);
    case CallRule::memory_intrinsic:
    case CallRule::masked_intrinsic:
      return std::nullopt;
    case CallRule::stays:
      return of_kept_call(call, *callee);
    case CallRule::as_it_is:
    case CallRule::forbidden:
    case CallRule::serial_only:
      return obstacle("serial", "it calls what only serial transactions may", call);
    default:
      return callee != nullptr && is_clone(*callee)
                 ? std::nullopt
                 : std::optional(obstacle("kept-call", "it makes a call that is not made transactional", call));
  }
}

std::optional<Obstacle> of_instruction(const Instruction& instruction) {
  if (is_check_of_guard(instruction))
    return obstacle("static-local", "it may have to initialise a static variable", instruction);
  if (const auto found = of_thread_local(instruction)) return found;
  if (const auto* const call = dyn_cast<CallBase>(&instruction); call != nullptr && !isa<MemIntrinsic>(call))
    return of_call(*call);
  return of_access(instruction);
}

}  // namespace

const PastEntryPoints::Summary& PastEntryPoints::summary_of(const Function& clone) {
  const auto [known, is_new] = summaries_.try_emplace(&clone);
  if (!is_new) return known->second;
  Summary summary;
  for (const Instruction& instruction : instructions(clone)) {
    if (!summary.obstacle) summary.obstacle = of_instruction(instruction);
    const auto* const call = dyn_cast<CallBase>(&instruction);
    const Function* const callee = call != nullptr ? callee_in_clone(*call) : nullptr;
    if (callee != nullptr && is_clone(*callee) && !callee->isDeclaration()) summary.callees.push_back(callee);
  }
  return summaries_[&clone] = std::move(summary);
}

std::optional<Obstacle> PastEntryPoints::first_in(const Function& body) {
  SetVector<const Function*> reached;
  reached.insert(&body);
  for (unsigned i = 0; i < reached.size(); ++i) {
    const Summary& summary = summary_of(*reached[i]);
    if (summary.obstacle) return summary.obstacle;
    reached.insert(summary.callees.begin(), summary.callees.end());
  }
  return std::nullopt;
}

}  // namespace perdure::plugin
