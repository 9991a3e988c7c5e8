#ifndef PERDURE_STORES_ROCKSDB_MISSING_H
#define PERDURE_STORES_ROCKSDB_MISSING_H

namespace perdure::stores::rocksdb {

/// Reports that a function of RocksDB's is not supported.
void not_supported(const char* function, char** errptr);

/// The same where nobody can be told: ends the program with a message.
[[noreturn]] void missing(const char* function);

}  // namespace perdure::stores::rocksdb

#endif
