#include "simulate/resolver.h"

#include <algorithm>

#include "persist/domain.h"
#include "pool/window.h"

namespace perdure::simulate {

std::size_t Choices::choose(std::size_t ways) {
  if (position_ == taken_.size()) taken_.push_back(0);
  if (position_ == ways_.size()) ways_.push_back(0);
  ways_[position_] = ways;
  return taken_[position_++];
}

bool Choices::advance() {
  taken_.resize(position_);
  ways_.resize(position_);
  position_ = 0;
  while (!taken_.empty()) {
    if (++taken_.back() < ways_.back()) return true;
    taken_.pop_back();
    ways_.pop_back();
  }
  return false;
}

Resolver::Resolver(Images& images, const CrashState& state, Choices& choices) : images_(images), choices_(choices) {
  for (const auto& [pool, sizes] : state.file_sizes) {
    const std::uint64_t size = sizes[sizes.size() == 1 ? 0 : choices.choose(sizes.size())];
    images.set_file_size(pool, size);
    state_.file_sizes[pool] = {size};
  }
  for (const auto& [address, contents] : state.lines) {
    if (!images.contains(address)) continue;  // behind the end of a file that did not grow
    images.keep(address);
    images.set_line(address, contents.front());
    if (contents.size() > 1)
      open_.emplace(address, OpenLine{contents});
    else
      state_.lines.emplace(address, contents);
  }
}

void Resolver::before_load(std::uintptr_t address, std::size_t bytes) {
  if (open_.empty()) return;
  for (std::uintptr_t word = address & ~std::uintptr_t{7}; word < address + bytes; word += 8)
    if (is_open(persistence::line_of(word))) resolve(persistence::line_of(word), word_in_line(word));
}

void Resolver::before_store(std::uintptr_t address, std::size_t bytes) {
  for (std::uintptr_t line = persistence::line_of(address); line < address + bytes; line += persistence::line_bytes)
    images_.keep(line);
  if (open_.empty()) return;
  for (std::uintptr_t word = address & ~std::uintptr_t{7}; word < address + bytes; word += 8) {
    if (!is_open(persistence::line_of(word))) continue;
    // A store to a part of a word leaves the rest, which so becomes visible.
    if (word < address || word + 8 > address + bytes) resolve(persistence::line_of(word), word_in_line(word));
    if (is_open(persistence::line_of(word)))
      open_.at(persistence::line_of(word)).overwritten |= static_cast<std::uint8_t>(1U << word_in_line(word));
  }
}

void Resolver::resolve_headers(std::size_t bytes) {
  std::vector<std::uintptr_t> lines;
  for (const auto& [line, open] : open_)
    if (line % pool::slot_bytes < bytes) lines.push_back(line);
  std::ranges::sort(lines);
  for (const std::uintptr_t line : lines) before_load(line, persistence::line_bytes);
}

void Resolver::resolve(std::uintptr_t line, std::size_t word) {
  OpenLine& open = open_.at(line);
  if ((open.overwritten >> word & 1) != 0) return;
  std::vector<std::uint64_t> values;
  for (const Content& content : open.left)
    if (std::ranges::find(values, content[word]) == values.end()) values.push_back(content[word]);
  if (values.size() == 1) return;
  const std::uint64_t chosen = values[choices_.choose(values.size())];
  std::erase_if(open.left, [&](const Content& content) { return content[word] != chosen; });
  lay_out(line, open);
  if (open.left.size() > 1) return;
  state_.lines.emplace(line, open.left);
  open_.erase(line);
}

void Resolver::lay_out(std::uintptr_t line, const OpenLine& open) {
  Content content = open.left.front();
  const Content now = images_.line(line);
  for (std::size_t word = 0; word < content.size(); ++word)
    if ((open.overwritten >> word & 1) != 0) content[word] = now[word];
  images_.set_line(line, content);
}

CrashState Resolver::remaining() const {
  CrashState state = state_;
  for (const auto& [line, open] : open_) state.lines.emplace(line, open.left);
  return state;
}

}  // namespace perdure::simulate
