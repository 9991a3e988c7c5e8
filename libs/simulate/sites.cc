#include "simulate/sites.h"

#include <unordered_set>

#include "persist/domain.h"
#include "simulate/line.h"

namespace perdure::simulate {
namespace {

/// What a thread has flushed since its last fence.
struct Flushed {
  bool anything = false;
  std::unordered_set<std::uintptr_t> lines;  // those to which nothing was stored since
};

}  // namespace

void Sites::add(const Trace& trace) {
  std::unordered_set<std::uintptr_t> dirty;
  std::map<unsigned, Flushed> flushed;
  for (const Event& event : trace) {
    if (event.kind == Event::Kind::store || event.kind == Event::Kind::clear) {
      dirty.insert(persistence::line_of(event.address));
      for (auto& [thread, flushes] : flushed) flushes.lines.erase(persistence::line_of(event.address));
    }
    if (event.kind != Event::Kind::flush && event.kind != Event::Kind::fence) continue;
    Site& site = sites_.try_emplace(event.site, Site{event.kind, event.site, 0, 0, 0}).first->second;
    ++site.times;
    Flushed& own = flushed[event.thread];
    if (event.kind == Event::Kind::fence) {
      if (!own.anything) ++site.clean;
      for (const std::uintptr_t line : own.lines) dirty.erase(line);
      own = {};
    } else {
      if (!own.lines.insert(event.address).second)
        ++site.repeated;
      else if (!dirty.contains(event.address))
        ++site.clean;
      own.anything = true;
    }
  }
}

std::vector<Site> Sites::all() const {
  std::vector<Site> result;
  for (const auto& [address, site] : sites_) result.push_back(site);
  return result;
}

}  // namespace perdure::simulate
