#ifndef PERDURE_STORES_LEVELDB_FOLDER_H
#define PERDURE_STORES_LEVELDB_FOLDER_H

#include <string>

#include <leveldb/db.h>

/// A database is a folder: CURRENT, which names the pool and is there from when it counts; LOCK; the pool and its log.
/// In all three, a database in an Env that is not LevelDB's own for files is left to LevelDB.
namespace perdure::stores {

/// As leveldb::DB::Open, with its errors. A folder that LevelDB has written is refused with the way to import it.
leveldb::Status open(const leveldb::Options& options, const std::string& name, leveldb::DB** result);

/// As leveldb::DestroyDB. A folder that LevelDB has written is left to LevelDB.
leveldb::Status destroy(const std::string& name, const leveldb::Options& options);

/// Recovers the store and looks whether it is whole. A folder that LevelDB has written is left to LevelDB.
leveldb::Status repair(const std::string& name, const leveldb::Options& options);

}  // namespace perdure::stores

#endif
