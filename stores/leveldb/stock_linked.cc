// For programs that have both stores: LevelDB's under its own name, ours under another (folder.h).
#include "stock.h"

namespace perdure::stores::stock {

leveldb::Status open(const leveldb::Options& options, const std::string& name, leveldb::DB** result) {
  return leveldb::DB::Open(options, name, result);
}
leveldb::Status destroy(const std::string& name, const leveldb::Options& options) {
  return leveldb::DestroyDB(name, options);
}
leveldb::Status repair(const std::string& name, const leveldb::Options& options) {
  return leveldb::RepairDB(name, options);
}

}  // namespace perdure::stores::stock
