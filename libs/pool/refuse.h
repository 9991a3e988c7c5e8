#ifndef PERDURE_POOL_REFUSE_H
#define PERDURE_POOL_REFUSE_H

#include <filesystem>
#include <string>

#include "perdure/error.h"

namespace perdure::pool {

/// Throws PoolError with "pool 'path': message". The message says what is wrong and what to do next.
[[noreturn]] void refuse(PoolError::Kind kind, const std::filesystem::path& path, const std::string& message);

/// As above for a system call that failed with `error` while doing `what` ("opening the file"): chooses kind and
/// remedy.
[[noreturn]] void refuse_errno(int error, const std::filesystem::path& path, const std::string& what);

/// "0x200000000000", "1.5 MiB": how messages spell addresses and sizes.
std::string spell_address(std::uint64_t address);
std::string spell_bytes(std::uint64_t bytes);

}  // namespace perdure::pool

#endif
