#ifndef PERDURE_BENCHMARKS_PEERS_ROCKSDB_TUNED_H
#define PERDURE_BENCHMARKS_PEERS_ROCKSDB_TUNED_H

#include "rocksdb.h"

namespace perdure::benchmarks::keyvalue {

/// RocksDB as one sets it for synchronised writes: files of its log are used again, so that a sync changes no metadata,
/// and the memory table is written while the next group goes to the log.
struct TunedRocksDb : RocksDb {
  static constexpr const char* name = "RocksDB (tuned)";

  static void tune(Options& options) {
    constexpr std::size_t kept_logs = 4;
    constexpr int background_jobs = 2;
    options.recycle_log_file_num = kept_logs;
    options.wal_recovery_mode = rocksdb::WALRecoveryMode::kPointInTimeRecovery;
    options.enable_pipelined_write = true;
    options.max_background_jobs = background_jobs;
  }
};

}  // namespace perdure::benchmarks::keyvalue

#endif
