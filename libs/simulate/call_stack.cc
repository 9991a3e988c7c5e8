#include "simulate/call_stack.h"

#include <unwind.h>

#include <set>
#include <string_view>

#include "simulate/symbols.h"

namespace perdure::simulate {
namespace {

struct Walk {
  CallStack stack{};
  std::size_t depth = 0;
};

_Unwind_Reason_Code visit(_Unwind_Context* context, void* argument) {
  Walk& walk = *static_cast<Walk*>(argument);
  walk.stack[walk.depth++] = reinterpret_cast<const void*>(_Unwind_GetIP(context));
  return walk.depth == walk.stack.size() ? _URC_END_OF_STACK : _URC_NO_REASON;
}

/// Code of the library: its sources, which this file is one of, and its headers.
bool is_perdure(const Frame& frame) {
  constexpr std::string_view file = __FILE__;
  constexpr std::string_view libs = file.substr(0, file.find("simulate/call_stack.cc"));
  constexpr std::string_view root = libs.substr(0, libs.find_last_of('/', libs.size() - 2));
  return frame.path.starts_with(libs) || frame.path.starts_with(std::string(root) + "/algorithms/") ||
         frame.path.find("/include/perdure/") != std::string::npos;
}

}  // namespace

const CallStack* current_call_stack() {
  static auto* const known = new std::set<CallStack>;
  Walk walk;
  _Unwind_Backtrace(visit, &walk);
  return &*known->insert(walk.stack).first;
}

std::string place_in_program(const CallStack& stack) {
  for (const void* const address : stack) {
    if (address == nullptr) break;
    for (const Frame& frame : frames_at(address))
      if (!is_perdure(frame) && frame.path != "??")
        return frame.function == "??" ? frame.place() : frame.place() + " (" + frame.function + ")";
  }
  return "a place unknown, because there is no debug information, or no " PERDURE_SYMBOLIZER;
}

}  // namespace perdure::simulate
