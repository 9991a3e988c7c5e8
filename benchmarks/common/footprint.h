#ifndef PERDURE_BENCHMARKS_FOOTPRINT_H
#define PERDURE_BENCHMARKS_FOOTPRINT_H

#include <cstdint>
#include <filesystem>

/// What a run takes of the machine's memory and of its storage.
namespace perdure::benchmarks {

/// Bytes of this process's memory that are in no file, pools on tmpfs left out: heap, stacks, private mappings. As
/// exact as the kernel counts, to some hundred kilobytes. 0 where /proc does not say it.
std::uint64_t volatile_bytes();

/// Bytes that the file system has given to a file, or to the files of a folder: holes do not count. 0 for a path
/// that is not there.
std::uint64_t stored_bytes(const std::filesystem::path& path);

}  // namespace perdure::benchmarks

#endif
