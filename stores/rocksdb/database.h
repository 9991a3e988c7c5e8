#ifndef PERDURE_STORES_ROCKSDB_DATABASE_H
#define PERDURE_STORES_ROCKSDB_DATABASE_H

#include <memory>
#include <shared_mutex>
#include <span>
#include <string>

#include <rocksdb/c.h>

#include "error.h"
#include "families.h"
#include "open_folder.h"
#include "open_stores.h"
#include "settings.h"
#include "status.h"

/// The objects that a program holds.

struct rocksdb_snapshot_t {
  perdure::stores::Stamp stamp;
};

/// Of a family that was dropped, what lies behind is empty.
struct rocksdb_column_family_handle_t {
  perdure::stores::rocksdb::FamilyId id;
  perdure::stores::rocksdb::FamilyPrefix prefix;
  std::string name;
};

struct rocksdb_t {
  std::string name;
  std::unique_ptr<perdure::stores::rocksdb::Families> families;  // outlives the store, whose order it is
  perdure::stores::OpenFolder folder;
  bool is_read_only;
  perdure::stores::OpenStore is_open{*folder.store};
  rocksdb_column_family_handle_t default_family = handle_of(perdure::stores::rocksdb::default_id);
  /// Shared by who writes single keys; alone for what finds keys first that it then writes: nobody adds one between.
  std::shared_mutex writing{};

  perdure::stores::Store& store() { return *folder.store; }
  rocksdb_column_family_handle_t handle_of(perdure::stores::rocksdb::FamilyId id) const {
    const auto& family = families->all()[id];
    return {id, family.prefix(id), family.name};
  }
};

namespace perdure::stores::rocksdb {

/// Runs what may throw. \returns whether all went well; if not, `errptr` says why.
template <class Function>
bool attempt(const rocksdb_t* database, char** errptr, Function&& function) {
  return report(status_of(database->name, std::forward<Function>(function)), errptr);
}

/// The moment that a program wants to look at, or `latest`.
inline Stamp moment_in(const rocksdb_readoptions_t* options) {
  const auto* const snapshot = settings(options).get<const rocksdb_snapshot_t*>("snapshot");
  return snapshot == nullptr ? latest : snapshot->stamp;
}

/// `sync` waits for the disk. `disable_WAL` has no meaning: there is no other log, and what it would lose is kept.
inline Acknowledgement acknowledgement_in(const rocksdb_writeoptions_t* options) {
  return settings(options).has("sync") ? Acknowledgement::sync : Acknowledgement::relaxed;
}

/// Whether the database may be written to; if not, `errptr` says so.
inline bool may_write(const rocksdb_t* database, char** errptr) {
  return !database->is_read_only ||
         report(leveldb::Status::NotSupported("Not supported operation in read only mode."), errptr);
}

}  // namespace perdure::stores::rocksdb

#endif
