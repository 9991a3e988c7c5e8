#include "discover/own_operators.h"

#include <llvm/ADT/STLExtras.h>
#include <llvm/ADT/SmallVector.h>
#include <llvm/ADT/StringSet.h>
#include <string>

#include "common/forwarding.h"
#include "common/runtime_interface.h"

namespace perdure::plugin {

using namespace llvm;

namespace {

bool is_own_operator(const Function& function) {
  static const StringSet<> symbols = {
#define PERDURE_OPERATOR(symbol, result, parameters) #symbol,
#include "abi/operators.def"
  };
  return !function.isDeclaration() && symbols.contains(function.getName()) &&
         !function.hasFnAttribute(Attribute::SanitizeThread);
}

/// Takes the function's name, and calls it. The function's own uses lead there, too.
void define_in_its_place(Function& function) {
  const std::string symbol = function.getName().str();
  function.setName(replaced_prefix + symbol);
  SmallVector<Use*> uses;
  for (Use& use : function.uses()) uses.push_back(&use);
  Function& caller = define_weak_caller(function, symbol);
  for (Use* const use : uses) use->set(&caller);
  if (function.doesNotThrow()) caller.setDoesNotThrow();
}

}  // namespace

void hand_over_operators(Module& module) {
  SmallVector<Function*> own;
  for (Function& function : module)
    if (is_own_operator(function)) own.push_back(&function);
  for (Function* const function : own) define_in_its_place(*function);
}

}  // namespace perdure::plugin
