#include "simulate/call_stack.h"

#include <unwind.h>

#include <filesystem>
#include <set>

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

/// Files of one library may have been compiled in several folders, and then got from a compiler cache.
std::string without_detours(const std::string& path) { return std::filesystem::path(path).lexically_normal(); }

/// Where the library's sources lie, by the debug information of this very file: it may have been compiled elsewhere.
std::string library_root() {
  for (const Frame& frame : frames_at(reinterpret_cast<const char*>(&current_call_stack) + 1)) {
    const std::string path = without_detours(frame.path);
    if (const std::size_t end = path.rfind("libs/simulate/call_stack."); end != std::string::npos)
      return path.substr(0, end);
  }
  return "no sources/";
}

bool is_perdure(const Frame& frame) {
  static const std::string root = library_root();
  const std::string path = without_detours(frame.path);
  return path.starts_with(root + "libs/") || path.starts_with(root + "algorithms/") ||
         path.find("/include/perdure/") != std::string::npos;
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
