#ifndef PERDURE_POOL_H
#define PERDURE_POOL_H

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <string_view>

#include "perdure/error.h"
#include "perdure/roots.h"

namespace perdure {

/// How a pool is opened.
struct OpenOptions {
  /// The largest size the file may grow to, in bytes; 0 means as large as the address slot allows. Takes effect at
  /// each open and is not stored.
  std::size_t size_limit = 0;

  /// The program knows that it is linked with a library that keeps pools in volatile memory (`…_stm`, `seq`); do not
  /// say so on standard error.
  bool accept_volatile = false;
};

/// What a pool lies on, and so what its contents survive.
enum class Medium {
  persistent_memory,  ///< every crash, power failure included (where caches or memory are flushed then: ADR, eADR)
  page_cache,         ///< every crash of the process; failures of the machine only once the pool was closed
  volatile_memory     ///< nothing: the library keeps pools in volatile memory
};

/// What Pool::open found and did.
struct OpenReport {
  enum class State {
    created,     ///< the file did not exist
    clean,       ///< the last user closed it
    recovered,   ///< the last user crashed
    is_volatile  ///< the library keeps pools in volatile memory
  };
  State state = State::created;
  Medium medium = Medium::page_cache;
  bool header_repaired = false;  ///< one of the header's two copies was damaged, and was written anew from the other
  std::uint64_t transactions_replayed = 0;  ///< committed transactions found in logs and written back
  std::uint64_t bytes_replayed = 0;
  std::uint64_t blocks_reclaimed = 0;  ///< blocks no root reaches, and so free; some were free before the crash
  double milliseconds = 0;             ///< time to open, recovery included
};

namespace recovery {
class OpenPool;
}

/// A file of persistent memory, mapped at a fixed address. While it is open, memory that transactions allocate comes
/// from it, and what the roots reach survives a crash of the process at any instruction (and of the machine, where the
/// medium is persistent memory: see README).
class Pool {
 public:
  /// Creates the pool if there is no such file, opens it, and recovers it if its last user crashed.
  /// \param path  the file; its directory must exist.
  /// \throws PoolError, which names the file and the remedy; the file is then unharmed.
  static Pool open(const std::filesystem::path& path, const OpenOptions& options = {});

  Pool(Pool&&) noexcept;
  Pool& operator=(Pool&&) noexcept;
  ~Pool();  ///< closes the pool

  /// Closes the pool: everything committed is in the file, and the next open needs no recovery. No transaction may be
  /// running, and pointers into the pool are dead afterwards. Closing twice does nothing.
  void close();

  /// The object named `name`, made by `new T()` in a transaction on first use.
  /// \param name  1 to roots::max_name_length characters.
  /// \throws PoolError (Kind::root_type_mismatch) if the root was made with another type (size, alignment or name);
  /// (Kind::usage) when the name is empty or too long, or all roots are taken; `std::bad_alloc` when the pool is full.
  template <class T>
  T& root(std::string_view name) {
    return roots::find_or_make<T>(root_table(), name);
  }

  const OpenReport& report() const noexcept { return report_; }
  const std::filesystem::path& path() const noexcept { return path_; }

 private:
  explicit Pool(std::unique_ptr<recovery::OpenPool>);
  /// \throws PoolError (Kind::usage) once the pool is closed.
  roots::RootTable& root_table() const;

  std::unique_ptr<recovery::OpenPool> pool_;  // null once closed
  std::filesystem::path path_;
  OpenReport report_;
};

}  // namespace perdure

#endif
