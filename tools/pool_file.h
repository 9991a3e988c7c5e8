#ifndef PERDURE_TOOLS_POOL_FILE_H
#define PERDURE_TOOLS_POOL_FILE_H

#include <filesystem>

#include "recovery/open_pool.h"

namespace perdure::tools {

/// The pool, open for reading: what a crash has left is recovered in memory only.
inline recovery::OpenPool open_for_reading(const std::filesystem::path& path) {
  return recovery::OpenPool(path, {.read_only = true});
}

/// "clean" or "crashed": how the last user left a pool that has been opened.
inline const char* spell_state(const OpenReport& report) {
  return report.state == OpenReport::State::recovered ? "crashed" : "clean";
}

}  // namespace perdure::tools

#endif
