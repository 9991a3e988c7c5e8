#ifndef PERDURE_STORES_ROCKSDB_ERROR_H
#define PERDURE_STORES_ROCKSDB_ERROR_H

#include <string_view>

#include <leveldb/status.h>

namespace perdure::stores::rocksdb {

/// Gives a program an error as text, which it frees: LevelDB's statuses have RocksDB's words. One that is there
/// already is replaced. \returns whether all is well.
bool report(const leveldb::Status& status, char** errptr);

/// A copy for a program to free. \returns as malloc.
char* copy_for_program(std::string_view bytes);
/// The same with a zero behind it.
char* text_for_program(std::string_view text);

}  // namespace perdure::stores::rocksdb

#endif
