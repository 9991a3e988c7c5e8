#include "simulate/block_volume.h"

#include <algorithm>
#include <cerrno>
#include <cstring>

#include "pool/checksum.h"

namespace perdure::simulate {

using disk::sector_bytes;

// -- choices ----------------------------------------------------------------------------------------------------------

std::size_t DiskChoices::choose(std::size_t count) {
  if (draws_) {
    state_ = pool::mix(state_, ++taken_);
    return state_ % count;
  }
  if (at_ == sequence_.size()) sequence_.push_back({0, count});
  return sequence_[at_++].chosen;
}

bool DiskChoices::next() {
  if (--limit_ == 0) return false;
  if (draws_) return true;
  at_ = 0;
  while (!sequence_.empty() && sequence_.back().chosen + 1 == sequence_.back().count) sequence_.pop_back();
  if (sequence_.empty()) return false;
  ++sequence_.back().chosen;
  ++taken_;
  draws_ = taken_ > limit_;
  return true;
}

// -- files ------------------------------------------------------------------------------------------------------------

class SimulatedFile final : public disk::BlockFile {
 public:
  SimulatedFile(BlockVolume& volume, BlockVolume::Content& content) : volume_(volume), content_(content) {}

  int write(std::uint64_t offset, const void* data, std::size_t bytes) noexcept override {
    return volume_.write(content_, offset, data, bytes, false);
  }
  int write_durably(std::uint64_t offset, const void* data, std::size_t bytes) noexcept override {
    return volume_.write(content_, offset, data, bytes, true);
  }
  int read(std::uint64_t offset, void* data, std::size_t bytes) noexcept override {
    if (!volume_.has_power()) return EIO;
    for (std::size_t done = 0; done < bytes; done += sector_bytes) {
      const auto sector = volume_.current(content_, (offset + done) / sector_bytes);
      std::memcpy(static_cast<std::byte*>(data) + done, sector.data(), sector_bytes);
    }
    return 0;
  }
  int sync() noexcept override { return volume_.sync(content_); }
  int resize(std::uint64_t bytes) noexcept override { return volume_.resize(content_, bytes); }
  std::uint64_t size() noexcept override { return content_.size; }

 private:
  BlockVolume& volume_;
  BlockVolume::Content& content_;
};

// -- calls ------------------------------------------------------------------------------------------------------------

BlockVolume::Fate BlockVolume::begin_call() noexcept {
  if (dead_) return {.has_effect = false, .completes = false, .error = EIO};
  const std::size_t call = calls_++;
  if (call == cut_in_) {
    dead_ = true;
    return {.completes = false, .error = EIO};
  }
  if (call == failing_.call) {
    const bool half = failing_.failure == Failure::has_half;
    return {.has_effect = half, .has_half = half, .completes = false, .error = failing_.error};
  }
  return {};
}

int BlockVolume::write(Content& content, std::uint64_t offset, const void* data, std::size_t bytes,
                       bool durably) noexcept {
  const Fate fate = begin_call();
  if (!fate.has_effect) return fate.error;
  if (fate.has_half) bytes = bytes / 2 / sector_bytes * sector_bytes;
  for (std::size_t done = 0; done < bytes; done += sector_bytes) {
    const std::uint64_t sector = (offset + done) / sector_bytes;
    Version version{{}, fate.has_half};
    std::memcpy(version.data.data(), static_cast<const std::byte*>(data) + done, sector_bytes);
    if (durably && fate.completes)
      settle(content, sector, version.data);
    else
      content.pending[sector].push_back(version);
  }
  content.size = std::max(content.size, offset + bytes);
  if (durably && fate.completes) content.durable_size = std::max(content.durable_size, offset + bytes);
  return fate.error;
}

int BlockVolume::sync(Content& content) noexcept {
  const Fate fate = begin_call();
  // What fails takes the pages to be clean; what was cut short may have done any part.
  if (!fate.completes) {
    std::size_t kept = fate.has_half ? content.pending.size() / 2 : 0;
    if (!dead_)
      for (auto& [sector, versions] : content.pending) {
        if (kept != 0 && kept-- != 0) continue;  // the device has it all the same
        for (Version& version : versions) version.abandoned = true;
      }
    return fate.error;
  }
  for (auto at = content.pending.begin(); at != content.pending.end();) {
    auto& [sector, versions] = *at;
    const auto last = std::find_if(versions.rbegin(), versions.rend(), [](const auto& v) { return !v.abandoned; });
    if (last != versions.rend()) {
      if (content.durable.size() <= sector) content.durable.resize(sector + 1);
      content.durable[sector] = last->data;
      versions.erase(versions.begin(), last.base());
    }
    // What the device does not have by now it never will; the page cache may show it still.
    if (reading_ == Reading::device) versions.clear();
    at = versions.empty() ? content.pending.erase(at) : std::next(at);
  }
  content.durable_size = content.size;
  return 0;
}

int BlockVolume::resize(Content& content, std::uint64_t bytes) noexcept {
  const Fate fate = begin_call();
  if (!fate.has_effect) return fate.error;
  content.size = bytes;
  return fate.error;
}

BlockVolume::Sector BlockVolume::durable_sector(const Content& content, std::uint64_t sector) {
  return sector < content.durable.size() ? content.durable[sector] : Sector{};
}

BlockVolume::Sector BlockVolume::current(const Content& content, std::uint64_t sector) const {
  if (const auto found = content.pending.find(sector); found != content.pending.end())
    for (auto version = found->second.rbegin(); version != found->second.rend(); ++version)
      if (!version->abandoned || reading_ == Reading::page_cache) return version->data;
  return durable_sector(content, sector);
}

void BlockVolume::settle(Content& content, std::uint64_t sector, const Sector& data) {
  if (content.durable.size() <= sector) content.durable.resize(sector + 1);
  content.durable[sector] = data;
  content.pending.erase(sector);
}

// -- names ------------------------------------------------------------------------------------------------------------

int BlockVolume::change_names(Names names, const Fate& fate) noexcept {
  if (!fate.has_effect) return fate.error;
  names_ = std::move(names);
  unsynced_names_.push_back(names_);
  return fate.error;
}

disk::OpenedFile BlockVolume::open(const std::filesystem::path& path) noexcept {
  if (dead_) return {nullptr, EIO};
  const auto found = names_.find(path.string());
  if (found == names_.end()) return {nullptr, ENOENT};
  return {std::make_unique<SimulatedFile>(*this, *contents_[found->second]), 0};
}

disk::OpenedFile BlockVolume::create(const std::filesystem::path& path) noexcept {
  Names names = names_;
  names[path.string()] = contents_.size();
  contents_.push_back(std::make_unique<Content>());
  if (const int error = change_names(std::move(names), begin_call()); error != 0) return {nullptr, error};
  return open(path);
}

int BlockVolume::rename(const std::filesystem::path& from, const std::filesystem::path& to) noexcept {
  Names names = names_;
  const auto found = names.find(from.string());
  if (found == names.end()) return ENOENT;
  names[to.string()] = found->second;
  names.erase(from.string());
  return change_names(std::move(names), begin_call());
}

int BlockVolume::remove(const std::filesystem::path& path) noexcept {
  Names names = names_;
  if (names.erase(path.string()) == 0) return ENOENT;
  return change_names(std::move(names), begin_call());
}

int BlockVolume::sync_folder_of(const std::filesystem::path&) noexcept {
  const Fate fate = begin_call();
  if (!fate.completes) return fate.error;
  durable_names_ = names_;
  unsynced_names_.clear();
  return 0;
}

// -- crashes ----------------------------------------------------------------------------------------------------------

/// What a sector may hold: as it was, or as any write since has made it.
std::vector<BlockVolume::Sector> BlockVolume::outcomes(const Content& content, std::uint64_t sector) {
  std::vector<Sector> all{durable_sector(content, sector)};
  for (const Version& version : content.pending.at(sector))
    if (std::ranges::find(all, version.data) == all.end()) all.push_back(version.data);
  return all;
}

/// With the names that are left, and nothing in the files but what was durable.
std::unique_ptr<BlockVolume> BlockVolume::after_names(DiskChoices& choices) const {
  auto after = std::make_unique<BlockVolume>(reading_);
  const std::size_t names = choices.choose(unsynced_names_.size() + 1);
  after->names_ = after->durable_names_ = names == 0 ? durable_names_ : unsynced_names_[names - 1];
  for (const auto& content : contents_) {
    auto left = std::make_unique<Content>();
    left->durable = content->durable;
    left->size = content->durable_size;
    if (content->size != content->durable_size && choices.choose(2) == 1) left->size = content->size;
    left->durable_size = left->size;
    after->contents_.push_back(std::move(left));
  }
  return after;
}

std::unique_ptr<BlockVolume> BlockVolume::after_power_cut(DiskChoices& choices) const {
  auto after = after_names(choices);
  for (std::size_t i = 0; i < contents_.size(); ++i)
    for (const auto& [sector, versions] : contents_[i]->pending) {
      const std::vector<Sector> all = outcomes(*contents_[i], sector);
      settle(*after->contents_[i], sector, all[all.size() == 1 ? 0 : choices.choose(all.size())]);
    }
  return after;
}

std::unique_ptr<BlockVolume> BlockVolume::after_torn_sectors(DiskChoices& choices,
                                                             std::span<const Range> ranges) const {
  auto after = after_names(choices);
  const bool all_new = choices.choose(2) == 1;
  for (std::size_t i = 0; i < contents_.size(); ++i)
    for (const auto& [sector, versions] : contents_[i]->pending) {
      const std::vector<Sector> all = outcomes(*contents_[i], sector);
      settle(*after->contents_[i], sector, all_new ? all.back() : all.front());
    }
  for (const Range& range : ranges) tear(choices, range, *after);
  return after;
}

void BlockVolume::tear(DiskChoices& choices, const Range& range, BlockVolume& after) const {
  const auto named = names_.find(range.path.string());
  if (named == names_.end()) return;
  const auto& pending = contents_[named->second]->pending;
  const auto begin = pending.lower_bound(range.begin / sector_bytes);
  const auto end = pending.lower_bound(range.end / sector_bytes);
  if (begin == end) return;
  const auto count = static_cast<std::size_t>(std::distance(begin, end));
  const auto torn = std::next(begin, static_cast<std::ptrdiff_t>(choices.choose(count)));
  Sector rubbish;
  rubbish.fill(std::byte{0xa5});
  settle(*after.contents_[named->second], torn->first, rubbish);
}

std::unique_ptr<BlockVolume> BlockVolume::after_kill() const {
  auto after = std::make_unique<BlockVolume>(reading_);
  for (const auto& content : contents_) after->contents_.push_back(std::make_unique<Content>(*content));
  after->names_ = names_;
  after->durable_names_ = durable_names_;
  after->unsynced_names_ = unsynced_names_;
  return after;
}

void BlockVolume::damage(const std::filesystem::path& path, std::uint64_t offset) {
  Content& content = *contents_[names_.at(path.string())];
  const std::uint64_t sector = offset / sector_bytes;
  Sector data = current(content, sector);
  data[offset % sector_bytes] ^= std::byte{1};
  settle(content, sector, data);
}

void BlockVolume::restore(const std::filesystem::path& path, const BlockVolume& from) {
  *contents_[names_.at(path.string())] = *from.contents_[from.names_.at(path.string())];
}

}  // namespace perdure::simulate
