#ifndef PERDURE_TESTS_DISK_LIFE_H
#define PERDURE_TESTS_DISK_LIFE_H

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "losing_files.h"
#include "victim.h"

namespace perdure::outside {

using Counts = std::array<std::uint64_t, victim_threads>;

/// What a life has said.
struct Story {
  bool has_found = false;
  Counts found{};
  Counts acknowledged{};
  std::string complaint;  // "refused: …", "broken: …"
  bool has_failed = false;
  bool was_ended = false;
  int status = 0;
};

/// A victim (victim.h) runs until it ends, or the end comes in so many calls (0: it does not). It is gone when this
/// returns.
/// \param words  the program and its arguments.
/// \throws std::runtime_error when it cannot be started.
Story live(LosingFiles& files, const std::vector<std::string>& words, std::size_t calls, LosingFiles::End end);

}  // namespace perdure::outside

#endif
