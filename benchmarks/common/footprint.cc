#include "footprint.h"

#include <fstream>
#include <limits>
#include <string>

#include <sys/stat.h>

namespace perdure::benchmarks {

namespace {

std::uint64_t stored_bytes_of_file(const std::filesystem::path& path) {
  constexpr std::uint64_t block_bytes = 512;  // that stat counts in, whatever the file system's own are
  struct stat facts{};
  return stat(path.c_str(), &facts) == 0 ? static_cast<std::uint64_t>(facts.st_blocks) * block_bytes : 0;
}

}  // namespace

std::uint64_t volatile_bytes() {
  constexpr std::uint64_t kibibyte = 1024;
  std::ifstream facts("/proc/self/status");
  for (std::string name; facts >> name; facts.ignore(std::numeric_limits<std::streamsize>::max(), '\n')) {
    std::uint64_t kibibytes = 0;
    if (name == "RssAnon:" && facts >> kibibytes) return kibibytes * kibibyte;
  }
  return 0;
}

std::uint64_t stored_bytes(const std::filesystem::path& path) {
  if (!std::filesystem::is_directory(path)) return stored_bytes_of_file(path);
  std::uint64_t bytes = 0;
  for (const auto& file : std::filesystem::directory_iterator(path)) bytes += stored_bytes_of_file(file.path());
  return bytes;
}

}  // namespace perdure::benchmarks
