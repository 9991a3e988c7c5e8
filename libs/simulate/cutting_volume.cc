#include "simulate/cutting_volume.h"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <system_error>

#include "disk/block_memory.h"

namespace perdure::simulate {

using disk::BlockFile;
using disk::OpenedFile;
using disk::sector_bytes;

namespace {

/// What becomes of a file.
struct Change {
  enum class Kind : std::uint64_t { sector, length, name };
  Kind kind;
  std::array<char, 256> path;
  std::uint64_t number;                      // of the sector; the length
  std::array<std::byte, sector_bytes> data;  // of the sector
  std::array<char, 256> new_path;            // empty: there is no such file
};

std::array<char, 256> chars_of(const std::filesystem::path& path) {
  std::array<char, 256> chars{};
  path.string().copy(chars.data(), chars.size() - 1);
  return chars;
}

void make(const Change& change) {
  const char* const path = change.path.data();
  switch (change.kind) {
    case Change::Kind::sector: {
      const int file = ::open(path, O_RDWR | O_CLOEXEC);
      const auto offset = static_cast<off_t>(change.number * sector_bytes);
      if (pwrite(file, change.data.data(), sector_bytes, offset) != static_cast<ssize_t>(sector_bytes)) std::abort();
      close(file);
      return;
    }
    case Change::Kind::length:
      return std::filesystem::resize_file(path, change.number);
    case Change::Kind::name:
      if (change.new_path.front() == '\0')
        std::filesystem::remove(path);
      else
        std::filesystem::rename(path, change.new_path.data());
  }
}

}  // namespace

class CuttingFile final : public BlockFile {
 public:
  CuttingFile(CuttingVolume& volume, std::shared_ptr<CuttingVolume::Content> content, std::unique_ptr<BlockFile> file)
      : volume_(volume), content_(std::move(content)), file_(std::move(file)) {}

  int write(std::uint64_t offset, const void* data, std::size_t bytes) noexcept override {
    return volume_.write(*content_, *file_, offset, data, bytes, false);
  }
  int write_durably(std::uint64_t offset, const void* data, std::size_t bytes) noexcept override {
    return volume_.write(*content_, *file_, offset, data, bytes, true);
  }
  int read(std::uint64_t offset, void* data, std::size_t bytes) noexcept override {
    return file_->read(offset, data, bytes);
  }
  /// The page cache need not go to the disk for what this test asks.
  int sync() noexcept override {
    const std::scoped_lock lock(volume_.mutex_);
    if (const int error = volume_.begin_call(); error != 0) return error;
    content_->versions.clear();
    content_->durable_bytes = file_->size();
    return 0;
  }
  int resize(std::uint64_t bytes) noexcept override {
    const std::scoped_lock lock(volume_.mutex_);
    if (const int error = volume_.begin_call(); error != 0) return error;
    return file_->resize(bytes);
  }
  std::uint64_t size() noexcept override { return file_->size(); }

 private:
  CuttingVolume& volume_;
  std::shared_ptr<CuttingVolume::Content> content_;
  std::unique_ptr<BlockFile> file_;
};

OpenedFile CuttingVolume::track(OpenedFile opened, const std::filesystem::path& path, bool is_new) {
  if (opened.error != 0) return opened;
  auto& content = contents_[path.string()];
  if (is_new || content == nullptr) {
    content = std::make_shared<Content>();
    content->path = path;
    content->durable_bytes = opened.file->size();
    if (!is_new) content->durable_path = path;
  }
  return {std::make_unique<CuttingFile>(*this, content, std::move(opened.file)), 0};
}

OpenedFile CuttingVolume::open(const std::filesystem::path& path) noexcept {
  const std::scoped_lock lock(mutex_);
  return track(files_.open(path), path, false);
}

OpenedFile CuttingVolume::create(const std::filesystem::path& path) noexcept {
  const std::scoped_lock lock(mutex_);
  if (const int error = begin_call(); error != 0) return {nullptr, error};
  return track(files_.create(path), path, true);
}

int CuttingVolume::rename(const std::filesystem::path& from, const std::filesystem::path& to) noexcept {
  const std::scoped_lock lock(mutex_);
  if (const int error = begin_call(); error != 0) return error;
  const auto content = contents_.extract(from.string()).mapped();
  content->path = to;
  contents_[to.string()] = content;
  return files_.rename(from, to);
}

int CuttingVolume::remove(const std::filesystem::path& path) noexcept { return files_.remove(path); }

int CuttingVolume::sync_folder_of(const std::filesystem::path&) noexcept {
  const std::scoped_lock lock(mutex_);
  if (const int error = begin_call(); error != 0) return error;
  for (const auto& [name, content] : contents_) content->durable_path = content->path;
  return 0;
}

int CuttingVolume::begin_call() {
  if (++calls_ < last_call_) return 0;
  if (error_ != 0) return error_;
  if (end_ == End::kill) _exit(exit_status);
  cut_power();
}

int CuttingVolume::write(Content& content, BlockFile& file, std::uint64_t offset, const void* data, std::size_t bytes,
                         bool durably) {
  const std::scoped_lock lock(mutex_);
  const bool is_last = calls_ + 1 >= last_call_;
  if (is_last && (error_ != 0 || end_ == End::kill)) return begin_call();
  disk::BlockMemory before(bytes);
  if (const int error = file.read(offset, before.data(), bytes); error != 0) return error;
  for (std::size_t at = 0; at < bytes; at += sector_bytes) {
    auto& versions = content.versions[(offset + at) / sector_bytes];
    if (versions.empty()) std::memcpy(versions.emplace_back().data(), before.data() + at, sector_bytes);
    std::memcpy(versions.emplace_back().data(), static_cast<const std::byte*>(data) + at, sector_bytes);
  }
  if (const int error = begin_call(); error != 0) return error;
  const int error = file.write(offset, data, bytes);
  if (error == 0 && durably) {
    for (std::size_t at = 0; at < bytes; at += sector_bytes) content.versions.erase((offset + at) / sector_bytes);
    content.durable_bytes = std::max<std::uint64_t>(content.durable_bytes, offset + bytes);
  }
  return error;
}

void CuttingVolume::note_what_is_kept(const Content& content, std::FILE* changes) {
  const auto note = [&](Change change) {
    change.path = chars_of(content.path);
    if (std::fwrite(&change, sizeof(change), 1, changes) != 1) std::abort();
  };
  for (const auto& [sector, versions] : content.versions)
    note({Change::Kind::sector, {}, sector, versions[random_() % versions.size()], {}});
  std::error_code none;
  const std::uint64_t bytes = std::filesystem::file_size(content.path, none);
  if (!none && bytes > content.durable_bytes && random_() % 2 == 0)
    note({Change::Kind::length, {}, content.durable_bytes, {}, {}});
  if (content.durable_path != content.path && random_() % 2 == 0)
    note({Change::Kind::name, {}, 0, {}, chars_of(content.durable_path)});
}

/// This process has the files mapped, and other threads: so the next one changes the files.
void CuttingVolume::cut_power() {
  std::FILE* const changes = std::fopen(changes_.c_str(), "we");
  if (changes == nullptr) std::abort();
  for (const auto& [name, content] : contents_) note_what_is_kept(*content, changes);
  std::fclose(changes);
  _exit(exit_status);
}

void CuttingVolume::leave_what_is_kept(const std::filesystem::path& changes) {
  std::FILE* const file = std::fopen(changes.c_str(), "re");
  if (file == nullptr) return;  // it was not cut
  for (Change change; std::fread(&change, sizeof(change), 1, file) == 1;) make(change);
  std::fclose(file);
  std::filesystem::remove(changes);
}

}  // namespace perdure::simulate
