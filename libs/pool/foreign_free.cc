#include "pool/foreign_free.h"

#include <dlfcn.h>
#include <unistd.h>
#include <unwind.h>

#include <algorithm>
#include <array>
#include <csignal>
#include <cstdint>
#include <string_view>

#include "pool/window.h"

namespace perdure::pool {
namespace {

/// The functions that called abort, from the innermost on, as far as one that frees.
struct Search {
  int frames = 0;
  std::uintptr_t innermost = 0;  // stack pointers
  std::uintptr_t outermost = 0;
  bool has_found_free = false;
  const char* caller = nullptr;  // of the function that frees, if it has a name
};

constexpr int most_frames = 16;

bool is_freeing(const char* symbol) {
  constexpr std::array<std::string_view, 7> names = {
      "free", "cfree", "realloc", "reallocarray", "__libc_free", "__libc_realloc", "__libc_reallocarray"};
  return symbol != nullptr && std::ranges::find(names, std::string_view(symbol)) != names.end();
}

_Unwind_Reason_Code look_at(_Unwind_Context* context, void* argument) {
  Search& search = *static_cast<Search*>(argument);
  search.outermost = _Unwind_GetCFA(context);
  if (search.frames++ == 0) search.innermost = search.outermost;
  Dl_info info{};
  const bool is_known = dladdr(reinterpret_cast<void*>(_Unwind_GetIP(context) - 1), &info) != 0;
  if (is_known && is_freeing(info.dli_sname)) {
    search.has_found_free = true;
  } else if (search.has_found_free) {
    search.caller = is_known ? info.dli_sname : nullptr;
    return _URC_END_OF_STACK;
  }
  return search.frames < most_frames ? _URC_NO_REASON : _URC_END_OF_STACK;
}

/// Whether some word between two places of the stack leads into a pool.
bool leads_into_pool(std::uintptr_t from, std::uintptr_t to) {
  for (std::uintptr_t place = from; place + sizeof(void*) <= to; place += sizeof(void*))
    if (in_window(*reinterpret_cast<void* const*>(place))) return true;
  return false;
}

void say(std::string_view text) {
  [[maybe_unused]] const auto written = write(STDERR_FILENO, text.data(), text.size());
}

void handle_abort(int signal) {
  Search search;
  _Unwind_Backtrace(look_at, &search);
  if (search.has_found_free && leads_into_pool(search.innermost, search.outermost)) {
    say("perdure: free() or realloc() of the C library was given memory of a pool, as it seems");
    if (search.caller != nullptr) {
      say(", by '");
      say(search.caller);
      say("'");
    }
    say(". Only transactions, delete, and files that are compiled with the plugin free such memory: give other code "
        "memory that it may free, or a copy.\n");
  }
  std::signal(signal, SIG_DFL);  // and abort goes on
}

}  // namespace

void explain_foreign_frees() {
  struct sigaction action{};
  if (sigaction(SIGABRT, nullptr, &action) != 0 || (action.sa_flags & SA_SIGINFO) != 0 || action.sa_handler != SIG_DFL)
    return;
  action.sa_handler = handle_abort;
  sigaction(SIGABRT, &action, nullptr);
}

}  // namespace perdure::pool
