#ifndef PERDURE_SIMULATE_OPTIONS_H
#define PERDURE_SIMULATE_OPTIONS_H

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "simulate/case.h"
#include "simulate/disk_exploration.h"

namespace perdure::simulate {

/// What the command line says about an exploration.
struct Options {
  std::optional<Case> replay;  ///< --replay=<case>: only this crash, in this process, so that a debugger can look at it
  bool is_on_disk = false;     ///< --disk: the pool lies on a disk, not in persistent memory
  std::optional<DiskCase> disk_replay;  ///< --replay=<case> of such a one
  unsigned depth = 1;                   ///< --depth=<n>: 2: crashes of the recovery from crashes, too; and so on
  unsigned schedules = 10;              ///< --schedules=<n>: interleavings of threads
  unsigned samples = 0;                 ///< --samples=<n>: crash states to draw; 0: all
  unsigned seed = 1;                    ///< --seed=<n>: of the interleavings and the samples
  unsigned seconds = 60;                ///< --seconds=<n>: after which a run or a check counts as hanging

  /// \returns whether `argument` is an option, with a value that can be read.
  bool read(std::string_view argument);
};

/// The options, for messages.
std::string spell_options();

/// A word of a command that a reader is to paste into a shell: in quotes where the shell would not take it as one.
std::string shell_word(const std::string& word);

/// Interleavings to explore of a workload of several threads: `count`, of both kinds by turns.
std::vector<Strategy> mixed_schedules(std::size_t count, std::uint64_t first_seed = 1);

}  // namespace perdure::simulate

#endif
