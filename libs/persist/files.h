#ifndef PERDURE_PERSIST_FILES_H
#define PERDURE_PERSIST_FILES_H

#include <cstdint>

namespace perdure::persistence {

/// What the files of pools stand for.
enum class Files : std::uint8_t {
  as_they_lie,       ///< what they lie on
  simulated_memory,  ///< persistent memory, wherever they lie
  simulated_disk     ///< a disk, wherever they lie
};

}  // namespace perdure::persistence

#endif
