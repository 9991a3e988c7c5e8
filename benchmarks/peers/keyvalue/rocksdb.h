#ifndef PERDURE_BENCHMARKS_PEERS_ROCKSDB_H
#define PERDURE_BENCHMARKS_PEERS_ROCKSDB_H

#include <rocksdb/cache.h>
#include <rocksdb/db.h>
#include <rocksdb/filter_policy.h>
#include <rocksdb/merge_operator.h>
#include <rocksdb/table.h>
#include <rocksdb/write_batch.h>

#include <cstdint>
#include <cstring>
#include <memory>
#include <string>

namespace perdure::benchmarks::keyvalue {

/// RocksDB adds without reading: a sum is made when somebody reads it, or when files are merged.
class Adding : public rocksdb::AssociativeMergeOperator {
 public:
  bool Merge(const rocksdb::Slice&, const rocksdb::Slice* old, const rocksdb::Slice& more, std::string* sum,
             rocksdb::Logger*) const override {
    const std::uint64_t value = (old == nullptr ? 0 : number_of(*old)) + number_of(more);
    sum->assign(reinterpret_cast<const char*>(&value), sizeof value);
    return true;
  }
  const char* Name() const override { return "Adding"; }

 private:
  static std::uint64_t number_of(const rocksdb::Slice& slice) {
    std::uint64_t number = 0;
    std::memcpy(&number, slice.data(), sizeof number);
    return number;
  }
};

/// RocksDB, for Store.
struct RocksDb {
  using Database = rocksdb::DB;
  using Options = rocksdb::Options;
  using ReadOptions = rocksdb::ReadOptions;
  using WriteOptions = rocksdb::WriteOptions;
  using WriteBatch = rocksdb::WriteBatch;
  using Iterator = rocksdb::Iterator;
  using Slice = rocksdb::Slice;
  using Status = rocksdb::Status;

  static constexpr const char* name = "RocksDB";

  static void set_cache(Options& options, std::size_t bytes, int filter_bits) {
    rocksdb::BlockBasedTableOptions table;
    table.block_cache = rocksdb::NewLRUCache(bytes);
    table.filter_policy.reset(rocksdb::NewBloomFilterPolicy(filter_bits));
    options.merge_operator = std::make_shared<Adding>();
    options.table_factory.reset(rocksdb::NewBlockBasedTableFactory(table));
  }

  static void tune(Options&) {}  // as it comes

  static void compact(Database& database) { database.CompactRange({}, nullptr, nullptr); }
};

}  // namespace perdure::benchmarks::keyvalue

#endif
