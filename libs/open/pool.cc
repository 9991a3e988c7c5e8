#include "perdure/pool.h"

#include "open/open_pool.h"
#include "persist/environment.h"
#include "pool/refuse.h"

namespace perdure {

Pool::Pool(std::unique_ptr<recovery::OpenPool> pool)
    : pool_(std::move(pool)), path_(pool_->path()), report_(pool_->report()) {}
Pool::Pool(Pool&&) noexcept = default;
Pool& Pool::operator=(Pool&&) noexcept = default;
Pool::~Pool() = default;

Pool Pool::open(const std::filesystem::path& path, const OpenOptions& options) {
  persist::require_valid_environment();
  return Pool(std::make_unique<recovery::OpenPool>(path, options));
}

void Pool::close() {
  if (!pool_) return;
  // Whatever closing throws, the pool is not open afterwards.
  const auto closing = std::move(pool_);
  closing->close();
}

const OpenReport& Pool::wait_for_mark() {
  if (pool_) report_ = pool_->wait_for_mark();
  return report_;
}

roots::RootTable& Pool::root_table() const {
  if (!pool_) pool::refuse(PoolError::Kind::usage, path_, "is closed. Ask for roots while it is open.");
  return pool_->root_table();
}

}  // namespace perdure
