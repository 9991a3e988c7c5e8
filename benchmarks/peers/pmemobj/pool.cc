// perdure::Pool over libpmemobj: what the libraries of the table have in libs/open. No recovery of pointers: a pool
// must be opened where it was made.
#include <libpmemobj.h>

#include <filesystem>
#include <stdexcept>
#include <string>

#include "perdure/pool.h"
#include "pool_file.h"

namespace perdure {
namespace {

struct Root {
  void* base;  ///< where the pool was when it was made
  roots::RootTable table;
};

}  // namespace

namespace opening {

class OpenPool {
 public:
  OpenPool(const std::filesystem::path& path, const OpenOptions& options)
      : file_(path, options.size_limit), root_(file_.root<Root>()) {
    if (file_.is_new()) {
      root_->base = file_.handle();
      pmemobj_persist(file_.handle(), &root_->base, sizeof root_->base);
    }
    if (root_->base != file_.handle())
      throw std::runtime_error(path.string() + ": the pool was made at another address, and has native pointers. Set " +
                               "PMEM_MMAP_HINT to the same address for both runs.");
    report_.state = file_.is_new() ? OpenReport::State::created : OpenReport::State::clean;
  }

  const OpenReport& report() const { return report_; }
  const std::filesystem::path& path() const { return file_.path(); }
  roots::RootTable& root_table() const { return root_->table; }

 private:
  peers::PoolFile file_;
  OpenReport report_;
  Root* root_;
};

}  // namespace opening

Pool::Pool(std::unique_ptr<opening::OpenPool> pool)
    : pool_(std::move(pool)), path_(pool_->path()), report_(pool_->report()) {}
Pool::Pool(Pool&&) noexcept = default;
Pool& Pool::operator=(Pool&&) noexcept = default;
Pool::~Pool() = default;
Pool Pool::open(const std::filesystem::path& path, const OpenOptions& options) {
  return Pool(std::make_unique<opening::OpenPool>(path, options));
}
void Pool::close() { pool_.reset(); }
const OpenReport& Pool::wait_for_mark() { return report_; }
roots::RootTable& Pool::root_table() const { return pool_->root_table(); }

namespace roots::detail {

void check_name(const RootTable&, std::string_view) {}
void refuse_mismatch(const RootTable&, const Root&, std::string_view name, const Fingerprint&) {
  throw std::runtime_error("the root '" + std::string(name) + "' has another type");
}
void refuse_full(const RootTable&, std::string_view name) {
  throw std::runtime_error("no place for the root '" + std::string(name) + "'");
}
void refuse_missing(const RootTable&, std::string_view name) {
  throw std::runtime_error("there is no root '" + std::string(name) + "'");
}
bool may_make(const RootTable&) { return true; }
AllocationScope::AllocationScope(const RootTable&) noexcept : previous_(nullptr) {}
AllocationScope::~AllocationScope() { static_cast<void>(previous_); }

}  // namespace roots::detail
}  // namespace perdure
