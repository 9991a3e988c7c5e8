#ifndef PERDURE_BENCHMARKS_PEERS_POOL_FILE_H
#define PERDURE_BENCHMARKS_PEERS_POOL_FILE_H

#include <libpmemobj.h>
#include <sys/types.h>

#include <cstdlib>
#include <filesystem>
#include <stdexcept>
#include <string>

#include "opened_pool.h"

namespace perdure::peers {

/// A pool of libpmemobj in a file, made or opened, and closed at the end. The pool of the process while it lives.
class PoolFile {
 public:
  /// \param bytes  of a new pool; 0: the size that all benchmarks' pools have. All of it is there from the start
  ///               (libpmemobj sees to that), so no page is new while transactions are measured.
  explicit PoolFile(const std::filesystem::path& path, std::size_t bytes = 0)
      : path_(path), is_new_(!std::filesystem::exists(path)) {
    constexpr std::size_t usual_bytes = std::size_t{4} << 30;
    constexpr const char* layout = "perdure benchmark";
    constexpr mode_t owner_only = 0600;
    // The medium is flushed like persistent memory whatever it is, as Perdure does; otherwise there would be a system
    // call for each flush.
    setenv("PMEM_IS_PMEM_FORCE", "1", 0);
    handle_ = is_new_ ? pmemobj_create(path.c_str(), layout, bytes != 0 ? bytes : usual_bytes, owner_only)
                      : pmemobj_open(path.c_str(), layout);
    if (handle_ == nullptr) fail();
    opened_pool = {handle_, reinterpret_cast<std::uintptr_t>(handle_), std::filesystem::file_size(path)};
  }
  PoolFile(const PoolFile&) = delete;
  PoolFile& operator=(const PoolFile&) = delete;
  ~PoolFile() {
    opened_pool = {};
    pmemobj_close(handle_);
  }

  PMEMobjpool* handle() const { return handle_; }
  const std::filesystem::path& path() const { return path_; }
  bool is_new() const { return is_new_; }

  /// The root object; its bytes are zero in a new pool.
  template <class Root>
  Root* root() const {
    void* const root = pmemobj_direct(pmemobj_root(handle_, sizeof(Root)));
    if (root == nullptr) fail();
    return static_cast<Root*>(root);
  }

 private:
  [[noreturn]] void fail() const { throw std::runtime_error(path_.string() + ": libpmemobj: " + pmemobj_errormsg()); }

  std::filesystem::path path_;
  bool is_new_;
  PMEMobjpool* handle_ = nullptr;
};

}  // namespace perdure::peers

#endif
