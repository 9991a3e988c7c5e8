#include "perdure/pool.h"

#include "open/open_pool.h"
#include "persist/environment.h"
#include "pool/refuse.h"

namespace perdure {

Pool::Pool(std::unique_ptr<opening::OpenPool> pool)
    : pool_(std::move(pool)), path_(pool_->path()), report_(pool_->report()) {}
Pool::Pool(Pool&&) noexcept = default;
Pool& Pool::operator=(Pool&&) noexcept = default;
Pool::~Pool() = default;

Pool Pool::open(const std::filesystem::path& path, const OpenOptions& options) {
  persistence::require_valid_environment();
  auto pool = std::make_unique<opening::OpenPool>(path, options);
  pool->warn_of_missing_constants();
  return Pool(std::move(pool));
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

roots::RootTable& Pool::root_table() const { return open_pool().root_table(); }

opening::OpenPool& Pool::open_pool() const {
  if (!pool_) pool::refuse(PoolError::Kind::usage, path_, "is closed. Ask for roots, and the like, while it is open.");
  return *pool_;
}

void Pool::sync() { open_pool().sync(); }
std::uint64_t Pool::durable_up_to() const { return open_pool().durable_up_to(); }
void Pool::call_when_durable(void (*function)(void*, bool), void* argument) {
  open_pool().on_durable([function, argument](bool is_durable) { function(argument, is_durable); });
}
int Pool::durable_event() { return open_pool().durable_event(); }

}  // namespace perdure
