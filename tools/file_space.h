#ifndef PERDURE_TOOLS_FILE_SPACE_H
#define PERDURE_TOOLS_FILE_SPACE_H

#include <cstdint>
#include <filesystem>

#include "document.h"

namespace perdure::tools {

/// What a pool's file takes up.
struct FileSpace {
  std::uint64_t bytes;
  std::uint64_t disk_bytes;
};

/// \throws PoolError when there is no such file.
FileSpace space_of(const std::filesystem::path& path);

/// Says what a command has changed.
void add_space(const FileSpace& before, const FileSpace& after, Document& document);

/// Gives back all that is free, also of a pool with a log beside it. \throws PoolError
void trim_and_close(const std::filesystem::path& path);

}  // namespace perdure::tools

#endif
