#ifndef PERDURE_BENCHMARKS_PEERS_ROCKSDB_H
#define PERDURE_BENCHMARKS_PEERS_ROCKSDB_H

#include <rocksdb/cache.h>
#include <rocksdb/db.h>
#include <rocksdb/filter_policy.h>
#include <rocksdb/table.h>
#include <rocksdb/write_batch.h>

namespace perdure::benchmarks::keyvalue {

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
    options.table_factory.reset(rocksdb::NewBlockBasedTableFactory(table));
  }

  static void compact(Database& database) { database.CompactRange({}, nullptr, nullptr); }
};

}  // namespace perdure::benchmarks::keyvalue

#endif
