#include "checked/check_report.h"

#include <execinfo.h>

#include <array>
#include <cstdio>
#include <cstdlib>
#include <mutex>
#include <set>
#include <span>
#include <sstream>
#include <string_view>

#include "alloc/block_around.h"
#include "entry/symbol_name.h"
#include "perdure/roots.h"
#include "persist/environment.h"
#include "pool/slots.h"
#include "sched/hold_during_fork.h"
#include "tx/stack.h"

namespace perdure::checked {
namespace {

template <class... Parts>
std::string text_of(const Parts&... parts) {
  std::ostringstream text;
  (text << ... << parts);
  return text.str();
}

/// The runtime's own frames say nothing to the programmer, nor do those of the headers' templates.
bool is_of_runtime(std::string_view name) {
  for (const std::string_view part : {"perdure", "offset 0x", "__libc_start"})
    if (name.starts_with(part)) return true;
  return name.find(" perdure::") != std::string_view::npos;
}

/// The functions that the program is in, innermost first.
std::string callers() {
  constexpr int most_frames = 64;
  constexpr std::size_t most_names = 6;
  std::array<void*, most_frames> frames;
  const int depth = backtrace(frames.data(), most_frames);
  std::string text;
  std::size_t names = 0;
  for (void* const frame : std::span(frames).first(static_cast<std::size_t>(depth))) {
    const auto name = entry::name_of_symbol(static_cast<const char*>(frame) - 1);  // in the call, not behind it
    if (!name || is_of_runtime(*name)) continue;
    text += (names == 0 ? "  in '" : "  called from '") + *name + "'\n";
    if (++names == most_names) break;
  }
  return text;
}

std::mutex& report_mutex() {
  static auto& mutex = []() -> std::mutex& {
    sched::hold_during_fork<report_mutex>();
    return *new std::mutex;
  }();
  return mutex;
}

/// Whether this is new.
bool is_first(const Mistake& mistake) {
  static auto& said = *new std::set<std::string>;
  const std::lock_guard lock(report_mutex());
  return said.insert(mistake.what + mistake.place).second;
}

void say(const char* kind, const Mistake& mistake) {
  const std::string text = text_of("perdure: ", kind, mistake.what, "\n  at ", mistake.place, "\n", mistake.details,
                                   callers(), "  ", mistake.remedy, "\n");
  std::fputs(text.c_str(), stderr);
}

std::string describe_root_at(const alloc::Heap& heap, const void* block) {
  for (const roots::Root& root : heap.mapping().root_table().roots)
    if (root.object == block && block != nullptr)
      return text_of(", in the root '", root.name.data(), "' of type '", root.type_name.data(), "'");
  return "";
}

std::string describe_around(alloc::Heap& heap, const void* address) {
  const std::uint64_t end = heap.mapping().superblocks() * pool::superblock_bytes;
  if (static_cast<std::size_t>(static_cast<const std::byte*>(address) - heap.mapping().base()) >= end)
    return ", beyond its end";
  const alloc::Place place = alloc::place_around(heap, address);
  if (place.kind != alloc::Place::Kind::block) return "";
  if (std::string root = describe_root_at(heap, place.begin); !root.empty()) return root;
  return text_of(", in a block of ", place.bytes, " bytes");
}

}  // namespace

void report(const Mistake& mistake) {
  const bool goes_on = persistence::environment().checks_go_on;
  if (goes_on && !is_first(mistake)) return;
  say("", mistake);
  if (!goes_on) std::abort();
}

void warn(const Mistake& mistake) {
  if (is_first(mistake)) say("warning: ", mistake);
}

std::string describe_volatile(const void* address) {
  if (const auto name = entry::name_of_symbol(address)) return text_of(address, " (", *name, ")");
  const bool is_on_stack = tx::Stack::of_this_thread().contains(address);
  return text_of(address,
                 is_on_stack ? " (in the stack of this thread)" : " (in the heap, or other memory of this run)");
}

std::string describe_in_pool(const void* address) {
  const std::size_t slot = pool::slot_of(address);
  const std::string path = pool::last_path_in(slot).string();
  if (path.empty()) return text_of(address, ", where no pool was open");
  const std::size_t offset = pool::offset_in_pool(address);
  alloc::Heap* const heap = alloc::heap_of(address);
  return text_of(address, ", in pool '", path, "' at offset 0x", std::hex, offset, std::dec,
                 heap == nullptr ? ", which is closed" : describe_around(*heap, address));
}

}  // namespace perdure::checked
