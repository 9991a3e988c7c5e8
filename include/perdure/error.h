#ifndef PERDURE_ERROR_H
#define PERDURE_ERROR_H

#include <stdexcept>
#include <string>

namespace perdure {

/// Something the library cannot do. `what()` says what happened, to which file, and what to do next.
class Error : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// A pool could not be created, opened, recovered or grown. The file is as it was before the call.
class PoolError : public Error {
 public:
  /// The ways in which a pool is refused.
  enum class Kind {
    not_a_pool,          ///< the file is something else
    truncated,           ///< shorter than its header says
    damaged,             ///< a checksum or a structure does not hold
    wrong_version,       ///< made by another version of the format
    in_use,              ///< open in another process, twice in this one, or in the process that forked this one
    address_taken,       ///< the address it lives at is occupied in this process
    no_permission,       ///< the operating system denies access
    no_space,            ///< disk full
    root_type_mismatch,  ///< a root exists under this name with another type
    no_such_root,        ///< no root has this name
    root_exists,         ///< a root has this name already
    system,              ///< another error of the operating system
    usage,               ///< the program's call makes no sense
    pool_missing,        ///< a crash cut short a transaction over several pools, and the one that decides is not there
    missing_code         ///< the program lacks a type, function or constant that the pool names, and wanted to be told
  };

  PoolError(Kind kind, std::string path, const std::string& message)
      : Error(message), kind_(kind), path_(std::move(path)) {}

  Kind kind() const noexcept { return kind_; }
  const std::string& path() const noexcept { return path_; }

 private:
  Kind kind_;
  std::string path_;
};

/// A disk has failed beneath a pool that is open: nothing that is committed from now on becomes durable. Whether a
/// transaction counts that throws this is not known before the pool is opened again; what returned before does.
class DurabilityError : public Error {
 public:
  using Error::Error;
};
using durability_error = DurabilityError;  ///< the name in the standard library's manner

}  // namespace perdure

#endif
