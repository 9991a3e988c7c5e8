#include "layouts/allocations.h"

#include <llvm/ADT/STLExtras.h>
#include <llvm/ADT/StringSet.h>

#include "common/runtime_interface.h"

namespace perdure::plugin {

using namespace llvm;

namespace {

StringRef symbol_of(const Function& function) {
  const StringRef symbol = function.getName();
  return is_clone_symbol(symbol) ? original_symbol(symbol) : symbol;
}

}  // namespace

bool forwards_allocation(const Function& function) {
  StringRef symbol = symbol_of(function);
  return symbol.consume_front("_ZNSt3__1") &&
         (symbol.starts_with("17__libcpp_allocate") || symbol.starts_with("21__libcpp_operator_new"));
}

bool is_allocation(const Function& function) {
  static const StringSet<> functions = {
      allocate_in_symbol,
      persist_symbol,
#define PERDURE_ALLOCATION(symbol, plain) symbol,
#include "common/symbols.def"
  };
  return functions.contains(symbol_of(function)) || forwards_allocation(function);
}

bool is_allocation(const CallBase& call) {
  const Function* const callee = call.getCalledFunction();
  return callee != nullptr && is_allocation(*callee);
}

}  // namespace perdure::plugin
