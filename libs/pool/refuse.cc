#include "pool/refuse.h"

#include <cerrno>
#include <cstdio>
#include <cstring>

namespace perdure::pool {

void refuse(PoolError::Kind kind, const std::filesystem::path& path, const std::string& message) {
  throw PoolError(kind, path.string(), "pool '" + path.string() + "': " + message);
}

void refuse_errno(int error, const std::filesystem::path& path, const std::string& what) {
  using Kind = PoolError::Kind;
  const std::string happened = what + " failed: " + std::strerror(error) + ". ";
  switch (error) {
    case EACCES:
    case EPERM:
    case EROFS:
      refuse(Kind::no_permission, path,
             happened +
                 "Give this user permission to read the file and, unless it is only read, to write it; and to create "
                 "it, its directory.");
    case ENOSPC:
    case EDQUOT:
    case EFBIG:
      refuse(Kind::no_space, path, happened + "Make room on the file system that holds it, or choose another one.");
    case ENOENT:
    case ENOTDIR:
      refuse(Kind::system, path, happened + "Create its directory first, or correct the path.");
    case EISDIR:
      refuse(Kind::usage, path, "is a directory. Give the name of a file in it.");
    case ENOMEM:
      refuse(Kind::system, path, happened + "Raise the limit on address space (ulimit -v); pools reserve it sparsely.");
    default:
      refuse(Kind::system, path,
             happened + "See errno " + std::to_string(error) + " in the manual of that system call.");
  }
}

std::string spell_address(std::uint64_t address) {
  char text[32];
  std::snprintf(text, sizeof(text), "0x%llx", static_cast<unsigned long long>(address));
  return text;
}

std::string spell_bytes(std::uint64_t bytes) {
  const char* const units[] = {"bytes", "KiB", "MiB", "GiB", "TiB"};
  if (bytes < 1024) return std::to_string(bytes) + " bytes";
  double value = static_cast<double>(bytes);
  std::size_t unit = 0;
  for (; value >= 1024 && unit < 4; ++unit) value /= 1024;
  char text[32];
  std::snprintf(text, sizeof(text), "%.4g %s", value, units[unit]);
  return text;
}

}  // namespace perdure::pool
