#ifndef PERDURE_TESTS_DISK_SPECIAL_VOLUME_H
#define PERDURE_TESTS_DISK_SPECIAL_VOLUME_H

#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <string>
#include <utility>

#include "disk/block_file.h"
#include "disk/file_system.h"

namespace perdure::disk {

/// What changes something.
enum class Call : std::uint8_t { write, sync, resize };

/// The files of this machine, of which some calls fail, or do more.
class SpecialVolume final : public Volume {
 public:
  OpenedFile open(const std::filesystem::path& path) noexcept override { return wrap(files_.open(path), path); }
  OpenedFile create(const std::filesystem::path& path) noexcept override { return wrap(files_.create(path), path); }
  [[nodiscard]] int rename(const std::filesystem::path& from, const std::filesystem::path& to) noexcept override {
    return files_.rename(from, to);
  }
  [[nodiscard]] int remove(const std::filesystem::path& path) noexcept override { return files_.remove(path); }
  [[nodiscard]] int sync_folder_of(const std::filesystem::path& path) noexcept override {
    return files_.sync_folder_of(path);
  }

  /// Gives the error for a call, 0 for none. The file is told by its extension: none, ".log", ".sums".
  std::function<int(const std::string& file, Call)> fail_with;
  /// Called once, when the size of the image has been asked for, before it is told.
  std::function<void()> when_the_size_is_known;

 private:
  class SpecialFile final : public BlockFile {
   public:
    SpecialFile(SpecialVolume& volume, std::unique_ptr<BlockFile> file, const std::filesystem::path& path)
        : volume_(volume), file_(std::move(file)), extension_(path.extension()) {}
    int write(std::uint64_t offset, const void* data, std::size_t bytes) noexcept override {
      const int error = error_for(Call::write);
      return error != 0 ? error : file_->write(offset, data, bytes);
    }
    int write_durably(std::uint64_t offset, const void* data, std::size_t bytes) noexcept override {
      const int error = error_for(Call::write);
      return error != 0 ? error : file_->write_durably(offset, data, bytes);
    }
    int read(std::uint64_t offset, void* data, std::size_t bytes) noexcept override {
      return file_->read(offset, data, bytes);
    }
    int sync() noexcept override {
      const int error = error_for(Call::sync);
      return error != 0 ? error : file_->sync();
    }
    int resize(std::uint64_t bytes) noexcept override {
      const int error = error_for(Call::resize);
      return error != 0 ? error : file_->resize(bytes);
    }
    std::uint64_t size() noexcept override {
      const std::uint64_t bytes = file_->size();
      if (extension_.empty())
        if (const auto hook = std::exchange(volume_.when_the_size_is_known, nullptr)) hook();
      return bytes;
    }

   private:
    int error_for(Call call) const { return volume_.fail_with ? volume_.fail_with(extension_, call) : 0; }

    SpecialVolume& volume_;
    std::unique_ptr<BlockFile> file_;
    const std::string extension_;
  };

  OpenedFile wrap(OpenedFile opened, const std::filesystem::path& path) {
    if (opened.error != 0) return opened;
    return {std::make_unique<SpecialFile>(*this, std::move(opened.file), path), 0};
  }

  FileSystem files_;
};

}  // namespace perdure::disk

#endif
