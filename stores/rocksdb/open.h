#ifndef PERDURE_STORES_ROCKSDB_OPEN_H
#define PERDURE_STORES_ROCKSDB_OPEN_H

#include <memory>
#include <span>
#include <string>

#include "database.h"

namespace perdure::stores::rocksdb {

/// A family that a program opens, and the order that its options give.
struct WantedFamily {
  std::string_view name;
  const rocksdb_comparator_t* comparator;
};

inline const rocksdb_comparator_t* comparator_in(const rocksdb_options_t* options) {
  return settings(options).get<const rocksdb_comparator_t*>("comparator");
}

/// What a folder with column families is opened with. The families outlive it; it is not recovered yet.
FolderTerms terms_of(const Families& families);

/// Opens a database with all of its families, as rocksdb::DB::Open does, with its errors.
leveldb::Status open(const rocksdb_options_t* options, const std::string& name, std::span<const WantedFamily> wanted,
                     bool is_read_only, std::unique_ptr<rocksdb_t>& result);

/// The names of the families of a database that is not open.
leveldb::Status list_families(const std::string& name, std::vector<std::string>& result);

/// Recovers a database and looks whether it is whole. Families have the order of bytes, or that of the options.
leveldb::Status repair(const rocksdb_options_t* options, const std::string& name);

/// Takes away a database that Perdure's store has written, and no other.
leveldb::Status destroy(const std::string& name);

}  // namespace perdure::stores::rocksdb

#endif
