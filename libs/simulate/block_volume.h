#ifndef PERDURE_SIMULATE_BLOCK_VOLUME_H
#define PERDURE_SIMULATE_BLOCK_VOLUME_H

#include <array>
#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "disk/block_file.h"

namespace perdure::simulate {

/// Takes every sequence of choices once; when there are more than `limit`, draws the second half of that many by lot.
class DiskChoices {
 public:
  explicit DiskChoices(std::size_t limit, std::uint64_t seed = 1) : limit_(limit), state_(seed) {}

  /// \returns one of 0 … count - 1.
  std::size_t choose(std::size_t count);
  /// Begins the next sequence. \returns false when there is none.
  bool next();

 private:
  struct Choice {
    std::size_t chosen;
    std::size_t count;
  };

  std::size_t limit_;
  std::uint64_t state_;
  std::size_t taken_ = 0;
  bool draws_ = false;
  std::size_t at_ = 0;
  std::vector<Choice> sequence_;
};

/// A disk with files, which a crash is made of at any system call.
///
/// What is written is in the device's cache until a flush, or its own durable write, has returned; a power cut keeps of
/// each sector any version since the last one that was durable, in any combination. (It may be told to leave rubbish in
/// a sector that was being written: who survives that does not write again over what must hold.) A kill keeps
/// everything, still not durable. Names that were not synced go back to how they were at some moment since. After a
/// flush has failed, what it was to make durable may be on the device or not, and later flushes do not change that;
/// through a page cache it can still be read.
class BlockVolume final : public disk::Volume {
 public:
  /// What reads see of a write after the flush behind it has failed.
  enum class Reading : std::uint8_t { device, page_cache };
  /// What a call does that fails.
  enum class Failure : std::uint8_t { has_no_effect, has_half };

  explicit BlockVolume(Reading reading = Reading::device) : reading_(reading) {}

  disk::OpenedFile open(const std::filesystem::path& path) noexcept override;
  disk::OpenedFile create(const std::filesystem::path& path) noexcept override;
  [[nodiscard]] int rename(const std::filesystem::path& from, const std::filesystem::path& to) noexcept override;
  [[nodiscard]] int remove(const std::filesystem::path& path) noexcept override;
  [[nodiscard]] int sync_folder_of(const std::filesystem::path& path) noexcept override;

  /// Calls that change something, so far.
  std::size_t calls() const { return calls_; }

  /// The power fails in the call of this number: it begins and does not return, as far as the program can tell; it, and
  /// all that come, are errors.
  void cut_power_in(std::size_t call) { cut_in_ = call; }
  /// The call of this number fails, once.
  void fail_in(std::size_t call, int error, Failure failure) { failing_ = {call, error, failure}; }

  bool has_power() const { return !dead_; }

  /// What a machine finds that is switched on again.
  std::unique_ptr<BlockVolume> after_power_cut(DiskChoices& choices) const;
  /// The same, with rubbish in a sector of each of these that was not durable; all the others are old, or all are new.
  struct Range {
    std::filesystem::path path;
    std::uint64_t begin;
    std::uint64_t end;
  };
  std::unique_ptr<BlockVolume> after_torn_sectors(DiskChoices& choices, std::span<const Range> ranges) const;
  /// What the next process finds.
  std::unique_ptr<BlockVolume> after_kill() const;

  /// Changes a byte of the device, as a worn out one does.
  void damage(const std::filesystem::path& path, std::uint64_t offset);
  /// Copies a file as it is now from another volume, durably: a backup that is restored.
  void restore(const std::filesystem::path& path, const BlockVolume& from);

 private:
  friend class SimulatedFile;
  using Sector = std::array<std::byte, disk::sector_bytes>;

  struct Version {
    Sector data;
    bool abandoned;  // a flush has failed since
  };

  struct Content {
    std::vector<Sector> durable;
    std::map<std::uint64_t, std::vector<Version>> pending;  // oldest first
    std::uint64_t size = 0;
    std::uint64_t durable_size = 0;
  };
  using Names = std::map<std::string, std::size_t>;  // index of the content

  struct Failing {
    std::size_t call = ~std::size_t{0};
    int error = 0;
    Failure failure = Failure::has_no_effect;
  };

  /// How far a call comes.
  struct Fate {
    bool has_effect = true;
    bool has_half = false;
    bool completes = true;
    int error = 0;
  };

  Fate begin_call() noexcept;
  int change_names(Names names, const Fate& fate) noexcept;
  int write(Content& content, std::uint64_t offset, const void* data, std::size_t bytes, bool durably) noexcept;
  int sync(Content& content) noexcept;
  int resize(Content& content, std::uint64_t bytes) noexcept;
  std::unique_ptr<BlockVolume> after_names(DiskChoices& choices) const;
  Sector current(const Content& content, std::uint64_t sector) const;
  static Sector durable_sector(const Content& content, std::uint64_t sector);
  void tear(DiskChoices& choices, const Range& range, BlockVolume& after) const;
  static void settle(Content& content, std::uint64_t sector, const Sector& data);
  static std::vector<Sector> outcomes(const Content& content, std::uint64_t sector);

  Reading reading_;
  std::vector<std::unique_ptr<Content>> contents_;
  Names names_;
  Names durable_names_;
  std::vector<Names> unsynced_names_;  // each state since
  std::size_t calls_ = 0;
  std::size_t cut_in_ = ~std::size_t{0};
  Failing failing_;
  bool dead_ = false;
};

}  // namespace perdure::simulate

#endif
