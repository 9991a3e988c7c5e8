#include "discover/boundary.h"

#include <llvm/ADT/STLExtras.h>
#include <llvm/IR/Instructions.h>

#include "common/markings.h"
#include "common/runtime_interface.h"
#include "discover/discover.h"
#include "discover/flavours.h"

namespace perdure::plugin {

using namespace llvm;

namespace {

constexpr StringLiteral transaction_headers[] = {"perdure/transaction.h", "perdure/nested.h"};

void report(Reporter& reporter, const DebugLoc& location, StringRef what, StringRef remedy) {
  const SourcePoint point = point_of(location);
  reporter.error({point, what.str()}, {{point, remedy.str()}});
}

/// Runs that start a transaction: those in clones are nested, and are discovery's.
SmallVector<CallBase*> outermost_runs(Function& run, Reporter& reporter) {
  SmallVector<CallBase*> runs;
  for (const Use& use : run.uses()) {
    auto* const call = dyn_cast<CallBase>(use.getUser());
    const bool is_called = call != nullptr && call->isCallee(&use);
    if (is_called && !is_clone(*call->getFunction())) runs.push_back(call);
    if (is_called) continue;
    const auto* const instruction = dyn_cast<Instruction>(use.getUser());
    report(
        reporter, instruction != nullptr ? instruction->getDebugLoc() : DebugLoc(),
        ("'" + run.getName() + "' is called through a pointer, so that the plugin does not see the transaction").str(),
        unknown_body_remedy);
  }
  return runs;
}

/// The clone that a transaction runs: of the flavour that the library takes.
Value* clone_to_run(CallBase& run, Function& clone) {
  if (!is_asked_for_write_only(*clone.getParent())) return &clone;
  IRBuilder<> builder(&run);
  return chosen_flavour(builder, clone, write_only_flavour(clone));
}

/// Of the two that are chosen from.
Value* full_flavour(Value* body) {
  const auto* const choice = dyn_cast<CallInst>(body);
  const Function* const callee = choice != nullptr ? choice->getCalledFunction() : nullptr;
  return callee != nullptr && callee->getName() == choose_flavour_symbol ? choice->getArgOperand(0) : body;
}

}  // namespace

Function* body_of_run(const CallBase& run) {
  auto* const body = dyn_cast<Function>(full_flavour(run.getArgOperand(0))->stripPointerCastsAndAliases());
  const bool is_known = body != nullptr && !body->isDeclaration() && body->getReturnType() == run.getType();
  return is_known ? body : nullptr;
}

CallBase& call_body_directly(CallBase& run, Function& body) {
  Value* const closure = run.getArgOperand(1);
  CallBase* call = nullptr;
  if (auto* const invoke = dyn_cast<InvokeInst>(&run))
    call = InvokeInst::Create(body.getFunctionType(), &body, invoke->getNormalDest(), invoke->getUnwindDest(),
                              {closure}, "", run.getIterator());
  else
    call = CallInst::Create(body.getFunctionType(), &body, {closure}, "", run.getIterator());
  call->setCallingConv(body.getCallingConv());
  call->setDebugLoc(run.getDebugLoc());
  run.replaceAllUsesWith(call);
  run.eraseFromParent();
  return *call;
}

void replace_bodies(Module& module, Discovery& discovery, Reporter& reporter) {
  for (const StringRef symbol :
       {run_symbol, run_symbol_of_c, run_serial_symbol, run_serial_symbol_of_c, nested_symbol}) {
    const Flavour flavour = is_run_serial_symbol(symbol) ? Flavour::serial : Flavour::ordinary;
    Function* const run_function = module.getFunction(symbol);
    if (run_function == nullptr) continue;
    SmallVector<std::pair<CallBase*, Function*>> clones;
    for (CallBase* const run : outermost_runs(*run_function, reporter)) {
      Function* const body = body_of_run(*run);
      if (body == nullptr)
        report(reporter, run->getDebugLoc(), unknown_body_message, unknown_body_remedy);
      else if (!is_clone(*body))
        clones.push_back({run, &discovery.clone_of_root(*body, flavour)});
    }
    // Not before all clones are made: the function that a run is in may be cloned as well, with the body as it was.
    for (const auto& [run, clone] : clones) run->setArgOperand(0, clone_to_run(*run, *clone));
  }
}

bool is_header_of_library(StringRef file) {
  return any_of(transaction_headers, [&](StringRef header) { return file.ends_with(header); });
}

bool is_library_frame(const Function& function) { return is_header_of_library(point_of(function).file); }

}  // namespace perdure::plugin
