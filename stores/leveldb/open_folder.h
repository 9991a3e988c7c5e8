#ifndef PERDURE_STORES_LEVELDB_OPEN_FOLDER_H
#define PERDURE_STORES_LEVELDB_OPEN_FOLDER_H

#include <memory>
#include <string>

#include <leveldb/options.h>
#include <leveldb/status.h>

#include "folder_lock.h"
#include "store.h"

/// What fronts share of a folder with a store in it (folder.h); defined in folder.cc.
namespace perdure::stores {

/// A database that is open, for a front to make its own of.
struct OpenFolder {
  std::unique_ptr<FolderLock> lock;  // given back last
  std::unique_ptr<Store> store;
};

/// What a front says of its databases.
struct FolderTerms {
  KeyOrder order;
  std::string comparator;  ///< the order's name
  Store::Recovery recovery = Store::Recovery::at_once;
  std::string foreign;  ///< why a folder is refused that is not Perdure's
};

/// As leveldb::DB::Open, with its errors, but for the class that it makes.
leveldb::Status open_folder(const leveldb::Options& options, const std::string& name, const FolderTerms& terms,
                            OpenFolder& result);

/// Whose database is there.
enum class Owner { nobody, perdure, other };
Owner owner_of(const leveldb::Options& options, const std::string& name);

}  // namespace perdure::stores

#endif
