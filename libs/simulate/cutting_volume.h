#ifndef PERDURE_SIMULATE_CUTTING_VOLUME_H
#define PERDURE_SIMULATE_CUTTING_VOLUME_H

#include <array>
#include <cstdint>
#include <cstdio>
#include <filesystem>
#include <map>
#include <memory>
#include <mutex>
#include <random>
#include <utility>
#include <vector>

#include "disk/block_file.h"
#include "disk/file_system.h"

namespace perdure::simulate {

/// The files of this machine, for a process that is to end by a power cut: knows of each sector that was written what
/// the device holds for certain and what it may hold. At the cut it chooses one of these, by lot, for each sector; lets
/// files have the length that was durable, or theirs; lets names go that were not; and ends the process.
///
/// What is there when a file is opened counts as durable. So this takes away what a process has written itself.
class CuttingVolume final : public disk::Volume {
 public:
  static constexpr int exit_status = 42;

  /// How the process ends, in the call of this number. A killed one keeps all that it wrote.
  enum class End : std::uint8_t { power_cut, kill };
  /// \param changes  a file for what the cut makes of the others, for `leave_what_is_kept`.
  CuttingVolume(std::uint64_t seed, std::size_t call, End end, std::filesystem::path changes = {})
      : random_(seed), last_call_(call), end_(end), changes_(std::move(changes)) {}

  /// In another process, when the one that was cut is gone. Nothing if it ended otherwise.
  static void leave_what_is_kept(const std::filesystem::path& changes);

  /// Instead: calls fail from that one on, those that write or flush.
  void fail_with(int error) { error_ = error; }

  /// The log is not tried out, so that a run has few calls, and always the same ones.
  void take_time_out() { has_timing_ = false; }

  /// Those that write or flush, so far.
  std::size_t calls() const { return calls_; }

  disk::OpenedFile open(const std::filesystem::path& path) noexcept override;
  disk::OpenedFile create(const std::filesystem::path& path) noexcept override;
  [[nodiscard]] int rename(const std::filesystem::path& from, const std::filesystem::path& to) noexcept override;
  [[nodiscard]] int remove(const std::filesystem::path& path) noexcept override;
  [[nodiscard]] int sync_folder_of(const std::filesystem::path& path) noexcept override;
  bool has_timing() const noexcept override { return has_timing_; }

 private:
  friend class CuttingFile;
  using Sector = std::array<std::byte, disk::sector_bytes>;

  struct Content {
    std::filesystem::path path;
    std::uint64_t durable_bytes = 0;
    std::map<std::uint64_t, std::vector<Sector>> versions;  // of a sector, from the one that is durable on
    std::filesystem::path durable_path;                     // empty: none
  };

  disk::OpenedFile track(disk::OpenedFile opened, const std::filesystem::path& path, bool is_new);
  /// \returns an error for the call to return.
  int begin_call();
  [[noreturn]] void cut_power();
  void note_what_is_kept(const Content& content, std::FILE* changes);
  int write(Content& content, disk::BlockFile& file, std::uint64_t offset, const void* data, std::size_t bytes,
            bool durably);

  std::mutex mutex_;
  std::mt19937_64 random_;
  std::size_t last_call_;
  std::size_t calls_ = 0;
  End end_;
  const std::filesystem::path changes_;
  int error_ = 0;
  bool has_timing_ = true;
  disk::FileSystem files_;
  std::map<std::string, std::shared_ptr<Content>> contents_;
};

}  // namespace perdure::simulate

#endif
