// perdure::Pool over libpmemobj: what the libraries of the table have in libs/recovery. No recovery of pointers: a pool
// must be opened where it was made.
#include <libpmemobj.h>
#include <sys/types.h>

#include <cstdlib>
#include <filesystem>
#include <stdexcept>
#include <string>

#include "opened_pool.h"
#include "perdure/pool.h"

namespace perdure {
namespace {

/// All of it is there from the start (libpmemobj sees to that): no page is new while transactions are measured.
/// As large as it may grow, or:
constexpr std::size_t pool_bytes = std::size_t{4} << 30;
constexpr const char* layout = "perdure benchmark";
constexpr mode_t owner_only = 0600;

struct Root {
  void* base;  ///< where the pool was when it was made
  roots::RootTable table;
};

[[noreturn]] void fail(const std::filesystem::path& path) {
  throw std::runtime_error(path.string() + ": libpmemobj: " + pmemobj_errormsg());
}

}  // namespace

namespace recovery {

class OpenPool {
 public:
  OpenPool(const std::filesystem::path& path, const OpenOptions& options) : path_(path) {
    // The medium is flushed like persistent memory whatever it is, as Perdure does; otherwise there would be a system
    // call for each flush.
    setenv("PMEM_IS_PMEM_FORCE", "1", 0);
    const bool is_new = !std::filesystem::exists(path);
    handle_ = is_new ? pmemobj_create(path.c_str(), layout, options.size_limit != 0 ? options.size_limit : pool_bytes,
                                      owner_only)
                     : pmemobj_open(path.c_str(), layout);
    if (handle_ == nullptr) fail(path);
    root_ = static_cast<Root*>(pmemobj_direct(pmemobj_root(handle_, sizeof(Root))));
    if (root_ == nullptr) fail(path);
    if (is_new) {
      root_->base = handle_;
      pmemobj_persist(handle_, &root_->base, sizeof root_->base);
    }
    if (root_->base != handle_)
      throw std::runtime_error(path.string() + ": the pool was made at another address, and has native pointers. Set " +
                               "PMEM_MMAP_HINT to the same address for both runs.");
    report_.state = is_new ? OpenReport::State::created : OpenReport::State::clean;
    peers::opened_pool = {handle_, reinterpret_cast<std::uintptr_t>(handle_), std::filesystem::file_size(path)};
  }
  OpenPool(const OpenPool&) = delete;
  OpenPool& operator=(const OpenPool&) = delete;

  ~OpenPool() {
    peers::opened_pool = {};
    pmemobj_close(handle_);
  }

  const OpenReport& report() const { return report_; }
  const std::filesystem::path& path() const { return path_; }
  roots::RootTable& root_table() const { return root_->table; }

 private:
  std::filesystem::path path_;
  OpenReport report_;
  PMEMobjpool* handle_;
  Root* root_;
};

}  // namespace recovery

Pool::Pool(std::unique_ptr<recovery::OpenPool> pool)
    : pool_(std::move(pool)), path_(pool_->path()), report_(pool_->report()) {}
Pool::Pool(Pool&&) noexcept = default;
Pool& Pool::operator=(Pool&&) noexcept = default;
Pool::~Pool() = default;
Pool Pool::open(const std::filesystem::path& path, const OpenOptions& options) {
  return Pool(std::make_unique<recovery::OpenPool>(path, options));
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
