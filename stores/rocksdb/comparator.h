#ifndef PERDURE_STORES_ROCKSDB_COMPARATOR_H
#define PERDURE_STORES_ROCKSDB_COMPARATOR_H

#include <string_view>

/// A program's order of keys.
struct rocksdb_comparator_t {
  void* state;
  void (*destructor)(void*);
  int (*compare)(void*, const char*, std::size_t, const char*, std::size_t);
  const char* (*name)(void*);
};

namespace perdure::stores::rocksdb {

/// RocksDB's name for the order of bytes.
inline constexpr std::string_view bytewise_name = "leveldb.BytewiseComparator";

/// \param comparator  null: the order of bytes.
inline std::string_view name_of(const rocksdb_comparator_t* comparator) {
  return comparator == nullptr ? bytewise_name : comparator->name(comparator->state);
}

}  // namespace perdure::stores::rocksdb

#endif
