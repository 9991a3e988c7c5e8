#include "simulate/whereabouts.h"

#include <map>

#include "simulate/call_stack.h"

namespace perdure::simulate {
namespace {

/// The outermost transactions of a thread around the crash.
struct Progress {
  unsigned depth = 0;  // of the transactions that are open: what runs in a transaction can run another
  const CallStack* last = nullptr;
  bool is_in_last = false;
  const CallStack* next = nullptr;

  void apply(const Event& event, bool is_before_crash) {
    if (event.kind == Event::Kind::leave) {
      --depth;
      if (is_before_crash && depth == 0) is_in_last = false;
      return;
    }
    if (depth++ != 0) return;
    const auto* const stack = static_cast<const CallStack*>(event.site);
    if (is_before_crash) {
      last = stack;
      is_in_last = true;
    } else if (next == nullptr) {
      next = stack;
    }
  }

  std::string describe() const {
    if (is_in_last) return "in the transaction at " + place_in_program(*last);
    std::string text;
    if (last != nullptr) text = "after the transaction at " + place_in_program(*last);
    if (next != nullptr) text += (text.empty() ? "" : ", ") + ("before the one at " + place_in_program(*next));
    return text;
  }
};

}  // namespace

std::vector<std::string> whereabouts(const Trace& trace, std::size_t event) {
  std::map<unsigned, Progress> threads;
  for (std::size_t i = 0; i < trace.size(); ++i)
    if (trace[i].kind == Event::Kind::enter || trace[i].kind == Event::Kind::leave)
      threads[trace[i].thread].apply(trace[i], i <= event);
  std::vector<std::string> lines;
  for (const auto& [thread, progress] : threads)
    lines.push_back("thread " + std::to_string(thread) + ": " + progress.describe());
  return lines;
}

}  // namespace perdure::simulate
