#include "simulate/sites.h"

#include <dlfcn.h>
#include <unistd.h>

#include <array>
#include <cstdio>
#include <memory>
#include <set>
#include <unordered_set>

#include "simulate/line.h"

namespace perdure::simulate {
namespace {

/// What a thread has flushed since its last fence.
using Flushed = std::set<std::uintptr_t>;

std::string read_line(FILE* from) {
  std::array<char, 1024> line{};
  if (std::fgets(line.data(), line.size(), from) == nullptr) return {};
  std::string text(line.data());
  if (text.ends_with('\n')) text.pop_back();
  return text;
}

}  // namespace

void Sites::add(const Trace& trace) {
  std::unordered_set<std::uintptr_t> dirty;
  std::map<unsigned, Flushed> flushed;
  for (const Event& event : trace) {
    if (event.kind == Event::Kind::store) {
      dirty.insert(line_at(event.address));
      for (auto& [thread, flushes] : flushed) flushes.erase(line_at(event.address));
    }
    if (event.kind != Event::Kind::flush && event.kind != Event::Kind::fence) continue;
    Site& site = sites_.try_emplace(event.site, Site{event.kind, event.site, 0, 0, 0}).first->second;
    ++site.times;
    Flushed& own = flushed[event.thread];
    if (event.kind == Event::Kind::fence) {
      if (own.empty()) ++site.clean;
      for (const std::uintptr_t line : own) dirty.erase(line);
      own.clear();
    } else if (!own.insert(event.address).second) {
      ++site.repeated;
    } else if (!dirty.contains(event.address)) {
      ++site.clean;
    }
  }
}

std::vector<Site> Sites::all() const {
  std::vector<Site> result;
  for (const auto& [address, site] : sites_) result.push_back(site);
  return result;
}

std::vector<std::string> functions_at(const void* site) {
  Dl_info program{};
  if (dladdr(site, &program) == 0) return {};
  const auto offset = reinterpret_cast<std::uintptr_t>(site) - reinterpret_cast<std::uintptr_t>(program.dli_fbase) - 1;
  std::array<char, 256> command{};
  std::snprintf(command.data(), command.size(),
                PERDURE_SYMBOLIZER " --obj=/proc/%d/exe --functions=short --basenames 0x%zx",
                static_cast<int>(getpid()), static_cast<std::size_t>(offset));
  const std::unique_ptr<FILE, int (*)(FILE*)> pipe(popen(command.data(), "r"), pclose);
  if (pipe == nullptr) return {};
  std::vector<std::string> functions;
  for (;;) {
    const std::string function = read_line(pipe.get());
    const std::string place = read_line(pipe.get());
    if (function.empty() || place.empty()) return functions;
    functions.push_back(function + " " + place.substr(0, place.rfind(':')));
  }
}

}  // namespace perdure::simulate
