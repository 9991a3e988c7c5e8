#include "pool/private_mappings.h"

#include <algorithm>
#include <array>
#include <cinttypes>
#include <cstdio>

namespace perdure::pool {

/// proc(5), /proc/[pid]/maps. Where it cannot be read nothing is known to be private.
void PrivateMappings::read() {
  is_read_ = true;
  std::FILE* const maps = std::fopen("/proc/self/maps", "re");
  if (maps == nullptr) return;
  std::array<char, 512> line{};
  bool is_at_beginning = true;  // of a line: paths may be longer than the buffer
  while (std::fgets(line.data(), line.size(), maps) != nullptr) {
    Range range{};
    std::array<char, 5> permissions{};
    const bool is_mapping = is_at_beginning && std::sscanf(line.data(), "%" SCNxPTR "-%" SCNxPTR " %4s", &range.begin,
                                                           &range.end, permissions.data()) == 3;
    is_at_beginning = std::find(line.begin(), line.end(), '\n') != line.end();
    line = {};
    if (!is_mapping || permissions[1] != 'w' || permissions[3] != 'p') continue;
    if (!ranges_.empty() && ranges_.back().end == range.begin)
      ranges_.back().end = range.end;
    else
      ranges_.push_back(range);
  }
  std::fclose(maps);
}

bool PrivateMappings::hold(std::uintptr_t address, std::size_t bytes) {
  if (!is_read_) read();
  const auto next = std::ranges::upper_bound(ranges_, address, {}, &Range::begin);
  return next != ranges_.begin() && address + bytes <= next[-1].end;
}

}  // namespace perdure::pool
