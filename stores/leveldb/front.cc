// The three functions that put this store under a program. Everything else of LevelDB stays LevelDB's.
#include "folder.h"

namespace leveldb {

LEVELDB_EXPORT Status DB::Open(const Options& options, const std::string& name, DB** result) {
  return perdure::stores::open(options, name, result);
}
LEVELDB_EXPORT Status DestroyDB(const std::string& name, const Options& options) {
  return perdure::stores::destroy(name, options);
}
LEVELDB_EXPORT Status RepairDB(const std::string& name, const Options& options) {
  return perdure::stores::repair(name, options);
}

}  // namespace leveldb
