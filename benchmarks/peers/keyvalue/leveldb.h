#ifndef PERDURE_BENCHMARKS_PEERS_LEVELDB_H
#define PERDURE_BENCHMARKS_PEERS_LEVELDB_H

#include <leveldb/cache.h>
#include <leveldb/db.h>
#include <leveldb/filter_policy.h>
#include <leveldb/write_batch.h>

namespace perdure::benchmarks::keyvalue {

/// LevelDB, for Store.
struct LevelDb {
  using Database = leveldb::DB;
  using Options = leveldb::Options;
  using ReadOptions = leveldb::ReadOptions;
  using WriteOptions = leveldb::WriteOptions;
  using WriteBatch = leveldb::WriteBatch;
  using Iterator = leveldb::Iterator;
  using Slice = leveldb::Slice;
  using Status = leveldb::Status;

  static constexpr const char* name = "LevelDB";

  /// Cache and filter are the program's to free, and wanted until it ends.
  static void set_cache(Options& options, std::size_t bytes, int filter_bits) {
    static leveldb::Cache* const cache = leveldb::NewLRUCache(bytes);
    static const leveldb::FilterPolicy* const filter = leveldb::NewBloomFilterPolicy(filter_bits);
    options.block_cache = cache;
    options.filter_policy = filter;
  }

  static void tune(Options&) {}  // as it comes

  static void compact(Database& database) { database.CompactRange(nullptr, nullptr); }
};

}  // namespace perdure::benchmarks::keyvalue

#endif
