#include "losing_files.h"

#include <sys/stat.h>

#include <algorithm>
#include <cerrno>
#include <cstring>

namespace perdure::outside {

LosingFiles::LosingFiles() { clear(); }

void LosingFiles::clear() {
  const Lock lock(mutex_);
  names_.clear();
  const auto root = std::make_shared<Inode>();
  root->number = 1;
  root->mode = S_IFDIR | 0755;
  names_["/"] = root;
  unsynced_names_.assign(1, names_);
  has_ended_ = false;
  last_call_ = failing_call_ = ~std::size_t{0};
}

void LosingFiles::end_in(std::size_t calls, End end, std::function<void()> on_end) {
  const Lock lock(mutex_);
  last_call_ = calls_ + calls;
  how_ = end;
  on_end_ = std::move(on_end);
}

void LosingFiles::fail_in(std::size_t calls, int error) {
  const Lock lock(mutex_);
  failing_call_ = error == 0 ? ~std::size_t{0} : calls_ + calls;
  error_ = error;
}

std::size_t LosingFiles::calls() {
  const Lock lock(mutex_);
  return calls_;
}

bool LosingFiles::has_ended() {
  const Lock lock(mutex_);
  return has_ended_;
}

int LosingFiles::begin_call(bool& is_last) {
  if (has_ended_) return EIO;
  ++calls_;
  is_last = calls_ >= last_call_;
  return calls_ == failing_call_ ? error_ : 0;
}

void LosingFiles::end(Lock& lock) {
  has_ended_ = true;
  const auto told = on_end_;
  lock.unlock();
  if (told) told();
}

// -- what a crash leaves ----------------------------------------------------------------------------------------------

void LosingFiles::begin_again(std::uint64_t seed) {
  std::mt19937_64 random(seed);
  // Now and then nothing at all was written back, or everything.
  const std::uint64_t kind = random() % 8;
  begin_again([&](std::size_t count) -> std::size_t {
    if (kind == 0) return 0;
    return kind == 1 ? count - 1 : random() % count;
  });
}

void LosingFiles::begin_again(const Choose& choose) {
  const Lock lock(mutex_);
  last_call_ = failing_call_ = ~std::size_t{0};
  has_ended_ = false;
  if (how_ == End::kill) return;
  std::map<std::uint64_t, File> files;
  for (const Names& names : unsynced_names_)
    for (const auto& [path, file] : names) files[file->number] = file;
  names_ = unsynced_names_.size() == 1 ? names_ : unsynced_names_[choose(unsynced_names_.size())];
  for (const auto& [number, file] : files) lose(*file, choose);
  unsynced_names_.assign(1, names_);
}

void LosingFiles::lose(Inode& file, const Choose& choose) {
  if (S_ISDIR(file.mode)) return;
  const std::size_t now = file.content.size();
  const std::size_t size = now == file.durable_size || choose(2) == 1 ? now : file.durable_size;
  file.content.resize(std::max(size, now));
  for (auto& [number, versions] : file.versions) {
    const auto ends = std::ranges::unique(versions);
    versions.erase(ends.begin(), ends.end());
    const std::size_t chosen = versions.size() == 1 ? 0 : choose(versions.size());
    const std::size_t offset = number * sector_bytes;
    if (offset >= file.content.size()) continue;
    std::memcpy(file.content.data() + offset, versions[chosen].data(),
                std::min(sector_bytes, file.content.size() - offset));
  }
  file.content.resize(size);
  file.versions.clear();
  file.durable_size = size;
}

struct LosingFiles::State {
  Names names;
  std::vector<Names> unsynced_names;
};

LosingFiles::Names LosingFiles::copy_of(const Names& names, Copies& copies) {
  Names copied;
  for (const auto& [path, file] : names) {
    File& copy = copies[file];
    if (copy == nullptr) copy = std::make_shared<Inode>(*file);
    copied[path] = copy;
  }
  return copied;
}

std::shared_ptr<const LosingFiles::State> LosingFiles::state() {
  const Lock lock(mutex_);
  Copies copies;
  auto state = std::make_shared<State>();
  state->names = copy_of(names_, copies);
  for (const Names& names : unsynced_names_) state->unsynced_names.push_back(copy_of(names, copies));
  return state;
}

void LosingFiles::set(const State& state) {
  const Lock lock(mutex_);
  Copies copies;
  names_ = copy_of(state.names, copies);
  unsynced_names_.clear();
  for (const Names& names : state.unsynced_names) unsynced_names_.push_back(copy_of(names, copies));
  last_call_ = failing_call_ = ~std::size_t{0};
  has_ended_ = false;
}

bool LosingFiles::damage(const std::string& path, std::size_t offset) {
  const Lock lock(mutex_);
  const auto found = names_.find(path);
  if (found == names_.end() || offset >= found->second->content.size()) return false;
  std::byte& byte = found->second->content[offset];
  const bool holds_something = byte != std::byte{0};
  byte ^= std::byte{4};
  return holds_something;
}

// -- names ------------------------------------------------------------------------------------------------------------

File LosingFiles::find(const std::string& path) {
  const Lock lock(mutex_);
  const auto found = names_.find(path);
  return found == names_.end() ? nullptr : found->second;
}

void LosingFiles::change_names(const Names& names) {
  names_ = names;
  unsynced_names_.push_back(names);
}

int LosingFiles::create(const std::string& path, mode_t mode, File& file) {
  Lock lock(mutex_);
  bool is_last = false;
  if (const int error = begin_call(is_last); error != 0) return -error;
  file = std::make_shared<Inode>();
  file->number = next_number_++;
  file->mode = mode;
  Names names = names_;
  names[path] = file;
  change_names(names);
  if (is_last) return end(lock), -EIO;
  return 0;
}

int LosingFiles::remove(const std::string& path) {
  Lock lock(mutex_);
  bool is_last = false;
  if (const int error = begin_call(is_last); error != 0) return -error;
  Names names = names_;
  names.erase(path);
  change_names(names);
  if (is_last) return end(lock), -EIO;
  return 0;
}

int LosingFiles::rename(const std::string& from, const std::string& to) {
  Lock lock(mutex_);
  bool is_last = false;
  if (const int error = begin_call(is_last); error != 0) return -error;
  Names names = names_;
  names[to] = names.at(from);
  names.erase(from);
  change_names(names);
  if (is_last) return end(lock), -EIO;
  return 0;
}

std::vector<std::string> LosingFiles::names_in(const std::string& folder) {
  const Lock lock(mutex_);
  const std::string prefix = folder == "/" ? "/" : folder + "/";
  std::vector<std::string> found;
  for (const auto& [path, file] : names_)
    if (path.size() > prefix.size() && path.starts_with(prefix) && path.find('/', prefix.size()) == std::string::npos)
      found.push_back(path.substr(prefix.size()));
  return found;
}

std::string LosingFiles::path_of(const File& file) {
  const Lock lock(mutex_);
  const auto found = std::ranges::find(names_, file, [](const auto& entry) { return entry.second; });
  return found == names_.end() ? std::string() : found->first;
}

// -- content ----------------------------------------------------------------------------------------------------------

Inode::Sector LosingFiles::sector_of(const Inode& file, std::size_t number) {
  Inode::Sector sector{};
  const std::size_t offset = number * sector_bytes;
  if (offset < file.content.size())
    std::memcpy(sector.data(), file.content.data() + offset, std::min(sector_bytes, file.content.size() - offset));
  return sector;
}

/// Without data: zeros.
void LosingFiles::put(Inode& file, const char* data, std::size_t bytes, std::size_t offset) {
  if (bytes == 0) return;
  const std::size_t first = offset / sector_bytes;
  const std::size_t last = (offset + bytes - 1) / sector_bytes;
  for (std::size_t number = first; number <= last; ++number)
    if (auto& versions = file.versions[number]; versions.empty()) versions.push_back(sector_of(file, number));
  if (file.content.size() < offset + bytes) file.content.resize(offset + bytes);
  if (data != nullptr)
    std::memcpy(file.content.data() + offset, data, bytes);
  else
    std::memset(file.content.data() + offset, 0, bytes);
  for (std::size_t number = first; number <= last; ++number) file.versions[number].push_back(sector_of(file, number));
}

int LosingFiles::read(const Inode& file, char* data, std::size_t bytes, std::size_t offset) {
  const Lock lock(mutex_);
  if (has_ended_ && how_ == End::power_cut) return -EIO;
  if (offset >= file.content.size()) return 0;
  bytes = std::min(bytes, file.content.size() - offset);
  std::memcpy(data, file.content.data() + offset, bytes);
  return static_cast<int>(bytes);
}

int LosingFiles::write(Inode& file, const char* data, std::size_t bytes, std::size_t offset, bool durably) {
  Lock lock(mutex_);
  bool is_last = false;
  if (const int error = begin_call(is_last); error != 0) return -error;
  put(file, data, bytes, offset);
  if (is_last) return end(lock), -EIO;
  if (durably && bytes != 0) {
    for (std::size_t number = offset / sector_bytes; number <= (offset + bytes - 1) / sector_bytes; ++number)
      file.versions.erase(number);
    file.durable_size = std::max(file.durable_size, offset + bytes);
  }
  return static_cast<int>(bytes);
}

int LosingFiles::resize(Inode& file, std::size_t bytes) {
  Lock lock(mutex_);
  bool is_last = false;
  if (const int error = begin_call(is_last); error != 0) return -error;
  if (const std::size_t before = file.content.size(); bytes < before) put(file, nullptr, before - bytes, bytes);
  file.content.resize(bytes);
  if (is_last) return end(lock), -EIO;
  return 0;
}

int LosingFiles::zero(Inode& file, std::size_t offset, std::size_t bytes) {
  Lock lock(mutex_);
  bool is_last = false;
  if (const int error = begin_call(is_last); error != 0) return -error;
  if (offset < file.content.size()) put(file, nullptr, std::min(bytes, file.content.size() - offset), offset);
  if (is_last) return end(lock), -EIO;
  return 0;
}

int LosingFiles::sync(Inode& file) {
  Lock lock(mutex_);
  bool is_last = false;
  if (const int error = begin_call(is_last); error != 0) return -error;
  if (is_last) return end(lock), -EIO;
  file.versions.clear();
  file.durable_size = file.content.size();
  unsynced_names_.assign(1, names_);
  return 0;
}

std::size_t LosingFiles::size_of(const Inode& file) {
  const Lock lock(mutex_);
  return file.content.size();
}

}  // namespace perdure::outside
