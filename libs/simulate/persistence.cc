#include "simulate/persistence.h"

#include <algorithm>

#include "persist/domain.h"
#include "pool/window.h"
#include "simulate/violation.h"

namespace perdure::simulate {

void Persistence::begin_after(const CrashState& crash) {
  captures_.clear();
  lines_.clear();
  file_sizes_.clear();
  for (const auto& [address, contents] : crash.lines) lines_.emplace(address, contents);
  for (const auto& [pool, sizes] : crash.file_sizes) file_sizes_[pool] = {sizes.front(), sizes.front()};
}

Line& Persistence::line(std::uintptr_t address) {
  const auto found = lines_.find(address);
  if (found != lines_.end()) return found->second;
  return lines_.emplace(address, std::vector{images_.line(address)}).first->second;
}

std::optional<std::uintptr_t> Persistence::apply(const Event& event) {
  switch (event.kind) {
    case Event::Kind::store: {
      const std::uintptr_t address = persistence::line_of(event.address);
      if (line(address).store(word_in_line(event.address), event.value)) return address;
      break;
    }
    case Event::Kind::clear:
      if (line(event.address).clear()) return event.address;
      break;
    case Event::Kind::flush:
      check_against_memory(event);
      capture(event.thread, event.address);
      break;
    case Event::Kind::fence:
      fence(event.thread);
      break;
    case Event::Kind::resize: {
      const auto size = file_sizes_.try_emplace(event.address, images_.file_size(event.address), 0).first;
      size->second.newest = event.value;
      break;
    }
    case Event::Kind::sync:
      sync(event.address);
      break;
    case Event::Kind::begin:
    case Event::Kind::acknowledge:
    case Event::Kind::enter:
    case Event::Kind::leave:
      break;
  }
  return std::nullopt;
}

std::uint64_t Persistence::file_size(std::uintptr_t pool) const {
  const auto size = file_sizes_.find(pool);
  return size == file_sizes_.end() ? images_.file_size(pool) : size->second.durable;
}

void Persistence::check_against_memory(const Event& flush) {
  const auto found = lines_.find(flush.address);
  const Content newest = found == lines_.end() ? images_.line(flush.address) : found->second.newest().front();
  const bool known = flush.value == 0 || flush.value == hash_of(newest);
  require(known, "a store to the line at " + images_.describe(flush.address) + " was not traced");
}

void Persistence::capture(unsigned thread, std::uintptr_t address) {
  const auto found = lines_.find(address);
  if (found == lines_.end() || found->second.stores() == 0) return;
  if (captures_.size() <= thread) captures_.resize(thread + 1);
  captures_[thread].push_back({address, found->second.stores()});
}

void Persistence::fence(unsigned thread) {
  if (captures_.size() <= thread) return;
  std::vector<Capture>& captures = captures_[thread];
  // Settling a line changes what other captures of it count, so one after the other.
  for (std::size_t i = 0; i < captures.size(); ++i) {
    const auto [address, stores] = captures[i];
    if (stores == 0) continue;
    lines_.at(address).settle(stores);
    forget(address, stores);
  }
  captures.clear();
}

void Persistence::sync(std::uintptr_t pool) {
  if (const auto size = file_sizes_.find(pool); size != file_sizes_.end()) size->second.durable = size->second.newest;
  for (auto line = lines_.lower_bound(pool); line != lines_.end() && line->first - pool < pool::slot_bytes; ++line) {
    const std::size_t stores = line->second.stores_until_cleared();
    if (stores == 0) continue;
    line->second.settle(stores);
    forget(line->first, stores);
  }
}

void Persistence::forget(std::uintptr_t line, std::size_t stores) {
  for (std::vector<Capture>& captures : captures_)
    for (Capture& capture : captures)
      if (capture.line == line) capture.stores -= std::min(capture.stores, stores);
}

CrashState Persistence::killed_state() const {
  CrashState state;
  for (const auto& [address, line] : lines_) state.lines.emplace(address, line.newest());
  for (const auto& [pool, size] : file_sizes_) state.file_sizes[pool] = {size.newest};
  return state;
}

CrashState Persistence::crash_state(std::optional<std::uintptr_t> latest) const {
  CrashState state;
  for (const auto& [address, line] : lines_)
    state.lines.emplace(address, address == latest ? line.newest() : line.possible());
  for (const auto& [pool, size] : file_sizes_) {
    std::vector<std::uint64_t>& sizes = state.file_sizes[pool];
    sizes.push_back(size.newest);
    if (size.durable != size.newest) sizes.push_back(size.durable);
  }
  return state;
}

}  // namespace perdure::simulate
