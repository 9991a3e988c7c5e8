#ifndef PERDURE_OPEN_LOG_BESIDE_POOL_H
#define PERDURE_OPEN_LOG_BESIDE_POOL_H

#include <filesystem>

#include "perdure/open_report.h"

namespace perdure::opening {

/// Logs are kept by libraries whose commits are records. \throws PoolError (usage)
void require_records(const std::filesystem::path& path);

/// Whether the pool, which has no log, is to get one. \throws PoolError (usage) where it must and cannot.
bool is_to_get_log(const std::filesystem::path& path, const OpenOptions& options);

/// Of a pool that is closed.
void make_log(const std::filesystem::path& path, const OpenOptions& options);
void take_log_away(const std::filesystem::path& path);

}  // namespace perdure::opening

#endif
