#ifndef PERDURE_SIMULATE_DISK_EXPLORATION_H
#define PERDURE_SIMULATE_DISK_EXPLORATION_H

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "simulate/cutting_volume.h"

namespace perdure::simulate {

/// The way to one state that a crash leaves of a pool on a disk: in which call that writes or flushes the workload was
/// cut short, in which one the check that came then, and so on.
struct DiskCase {
  struct Crash {
    std::size_t call = 0;
    bool killed = false;    ///< only the process died: files are as it left them
    std::uint64_t lot = 0;  ///< by which it was drawn what a power cut left
  };
  std::vector<Crash> crashes;

  /// "disk/12:3/4k": power fails in the 12th call, lot 3; the check is killed in its fourth.
  std::string spell() const;
  static std::optional<DiskCase> parse(std::string_view text);
};

/// What to explore.
struct DiskPlan {
  unsigned depth = 1;    ///< 2: crashes of the check, and of the recovery in it, too; and so on
  unsigned samples = 4;  ///< power cuts to draw in each call of the workload, and crashes in each check
  std::uint64_t seed = 1;
  unsigned seconds = 60;           ///< after which a run or a check counts as hanging
  std::optional<DiskCase> replay;  ///< this one only, and shows what the program prints
};

struct DiskReport {
  std::size_t calls = 0;     ///< that write or flush, of the workload; 0: it keeps no pool on a disk
  std::uint64_t states = 0;  ///< that were checked
  std::uint64_t nested = 0;  ///< of these, left by a crash of a check
};

struct DiskVerdict {
  DiskReport report;
  std::optional<std::string> violation;
  DiskCase at;  ///< that shows it
};

/// Lets the program (perdure/crashtest.h) work with a pool on a simulated disk, again and again, each time in a process
/// that a power cut or a kill ends in another call; and has the check look at what is left.
///
/// \throws std::filesystem::filesystem_error when there is no place for the pool's files.
DiskVerdict explore_on_disk(const DiskPlan& plan);

/// In a process of such an exploration: \returns whether that is so, and `step` has been noted.
bool acknowledge_on_disk(std::uint64_t step) noexcept;
/// \returns the last step that was noted, where the calling process is one of those.
std::optional<std::uint64_t> acknowledged_on_disk() noexcept;

}  // namespace perdure::simulate

#endif
