#ifndef PERDURE_STORES_LEVELDB_STATUS_H
#define PERDURE_STORES_LEVELDB_STATUS_H

#include <new>
#include <string>
#include <utility>

#include <leveldb/status.h>

#include <perdure/error.h>

namespace perdure::stores {

/// Runs what may throw, for callers that know no exceptions. \returns OK, or what was thrown as a status.
template <class Function>
leveldb::Status status_of(const std::string& name, Function&& function) {
  try {
    std::forward<Function>(function)();
    return leveldb::Status::OK();
  } catch (const PoolError& error) {
    const bool is_damaged = error.kind() == PoolError::Kind::not_a_pool || error.kind() == PoolError::Kind::truncated ||
                            error.kind() == PoolError::Kind::damaged;
    return is_damaged ? leveldb::Status::Corruption(name, error.what()) : leveldb::Status::IOError(name, error.what());
  } catch (const std::bad_alloc&) {
    return leveldb::Status::IOError(name, "No space left on device");
  } catch (const std::exception& error) {
    return leveldb::Status::IOError(name, error.what());
  }
}

}  // namespace perdure::stores

#endif
