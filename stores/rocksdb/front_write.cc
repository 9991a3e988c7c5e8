// RocksDB's functions that write.
#include <mutex>

#include "changes.h"

using namespace perdure::stores;
using namespace perdure::stores::rocksdb;

namespace {

void change(rocksdb_t* database, const rocksdb_writeoptions_t* options, const Record& record, char** errptr) {
  if (!may_write(database, errptr)) return;
  const std::shared_lock with_others(database->writing);
  Changes changes(*database, false);
  if (!report(changes.add(record), errptr)) return;
  attempt(database, errptr, [&] { database->store().write(changes.all(), acknowledgement_in(options)); });
}

void delete_range(rocksdb_t* database, const rocksdb_writeoptions_t* options, const Record& record, char** errptr) {
  Batch batch;
  batch.add(record);
  if (may_write(database, errptr)) report(write(*database, options, batch), errptr);
}

}  // namespace

extern "C" {

void rocksdb_put(rocksdb_t* database, const rocksdb_writeoptions_t* options, const char* key, size_t key_size,
                 const char* value, size_t value_size, char** errptr) {
  change(database, options, {Operation::value, default_id, {key, key_size}, {value, value_size}}, errptr);
}
void rocksdb_put_cf(rocksdb_t* database, const rocksdb_writeoptions_t* options, rocksdb_column_family_handle_t* family,
                    const char* key, size_t key_size, const char* value, size_t value_size, char** errptr) {
  change(database, options, {Operation::value, family->id, {key, key_size}, {value, value_size}}, errptr);
}
void rocksdb_delete(rocksdb_t* database, const rocksdb_writeoptions_t* options, const char* key, size_t size,
                    char** errptr) {
  change(database, options, {Operation::deletion, default_id, {key, size}, {}}, errptr);
}
void rocksdb_delete_cf(rocksdb_t* database, const rocksdb_writeoptions_t* options,
                       rocksdb_column_family_handle_t* family, const char* key, size_t size, char** errptr) {
  change(database, options, {Operation::deletion, family->id, {key, size}, {}}, errptr);
}
void rocksdb_singledelete(rocksdb_t* database, const rocksdb_writeoptions_t* options, const char* key, size_t size,
                          char** errptr) {
  change(database, options, {Operation::single_deletion, default_id, {key, size}, {}}, errptr);
}
void rocksdb_singledelete_cf(rocksdb_t* database, const rocksdb_writeoptions_t* options,
                             rocksdb_column_family_handle_t* family, const char* key, size_t size, char** errptr) {
  change(database, options, {Operation::single_deletion, family->id, {key, size}, {}}, errptr);
}
void rocksdb_delete_range_cf(rocksdb_t* database, const rocksdb_writeoptions_t* options,
                             rocksdb_column_family_handle_t* family, const char* begin, size_t begin_size,
                             const char* end, size_t end_size, char** errptr) {
  delete_range(database, options, {Operation::range, family->id, {begin, begin_size}, {end, end_size}}, errptr);
}
void rocksdb_write(rocksdb_t* database, const rocksdb_writeoptions_t* options, rocksdb_writebatch_t* batch,
                   char** errptr) {
  if (may_write(database, errptr)) report(write(*database, options, batch->batch), errptr);
}

}  // extern "C"
