// RocksDB's functions for batches.
#include <rocksdb/c.h>

#include "batch.h"
#include "database.h"

using namespace perdure::stores::rocksdb;

namespace {

/// A text that a program gives in parts.
std::string joined(int count, const char* const* parts, const size_t* sizes) {
  std::string text;
  for (int i = 0; i < count; ++i) text.append(parts[i], sizes[i]);
  return text;
}

void add_joined(rocksdb_writebatch_t* to, Operation operation, FamilyId family, const std::string& key,
                const std::string& value) {
  to->batch.add({operation, family, key, value});
}

}  // namespace

extern "C" {

rocksdb_writebatch_t* rocksdb_writebatch_create() { return new rocksdb_writebatch_t(); }
rocksdb_writebatch_t* rocksdb_writebatch_create_from(const char* bytes, size_t size) {
  return new rocksdb_writebatch_t{Batch({bytes, size})};
}
void rocksdb_writebatch_destroy(rocksdb_writebatch_t* batch) { delete batch; }
void rocksdb_writebatch_clear(rocksdb_writebatch_t* to) { to->batch.clear(); }
int rocksdb_writebatch_count(rocksdb_writebatch_t* of) { return static_cast<int>(of->batch.count()); }

const char* rocksdb_writebatch_data(rocksdb_writebatch_t* of, size_t* size) {
  *size = of->batch.bytes().size();
  return of->batch.bytes().data();
}

void rocksdb_writebatch_put(rocksdb_writebatch_t* to, const char* key, size_t key_size, const char* value,
                            size_t value_size) {
  to->batch.add({Operation::value, default_id, {key, key_size}, {value, value_size}});
}
void rocksdb_writebatch_put_cf(rocksdb_writebatch_t* to, rocksdb_column_family_handle_t* family, const char* key,
                               size_t key_size, const char* value, size_t value_size) {
  to->batch.add({Operation::value, family->id, {key, key_size}, {value, value_size}});
}
void rocksdb_writebatch_putv(rocksdb_writebatch_t* to, int key_count, const char* const* keys, const size_t* key_sizes,
                             int value_count, const char* const* values, const size_t* value_sizes) {
  add_joined(to, Operation::value, default_id, joined(key_count, keys, key_sizes),
             joined(value_count, values, value_sizes));
}
void rocksdb_writebatch_putv_cf(rocksdb_writebatch_t* to, rocksdb_column_family_handle_t* family, int key_count,
                                const char* const* keys, const size_t* key_sizes, int value_count,
                                const char* const* values, const size_t* value_sizes) {
  add_joined(to, Operation::value, family->id, joined(key_count, keys, key_sizes),
             joined(value_count, values, value_sizes));
}

// Merges stay in the batch, so that a program may read it; writing it fails.
void rocksdb_writebatch_merge(rocksdb_writebatch_t* to, const char* key, size_t key_size, const char* value,
                              size_t value_size) {
  to->batch.add({Operation::merge, default_id, {key, key_size}, {value, value_size}});
}
void rocksdb_writebatch_merge_cf(rocksdb_writebatch_t* to, rocksdb_column_family_handle_t* family, const char* key,
                                 size_t key_size, const char* value, size_t value_size) {
  to->batch.add({Operation::merge, family->id, {key, key_size}, {value, value_size}});
}
void rocksdb_writebatch_mergev(rocksdb_writebatch_t* to, int key_count, const char* const* keys,
                               const size_t* key_sizes, int value_count, const char* const* values,
                               const size_t* value_sizes) {
  add_joined(to, Operation::merge, default_id, joined(key_count, keys, key_sizes),
             joined(value_count, values, value_sizes));
}
void rocksdb_writebatch_mergev_cf(rocksdb_writebatch_t* to, rocksdb_column_family_handle_t* family, int key_count,
                                  const char* const* keys, const size_t* key_sizes, int value_count,
                                  const char* const* values, const size_t* value_sizes) {
  add_joined(to, Operation::merge, family->id, joined(key_count, keys, key_sizes),
             joined(value_count, values, value_sizes));
}

void rocksdb_writebatch_delete(rocksdb_writebatch_t* to, const char* key, size_t size) {
  to->batch.add({Operation::deletion, default_id, {key, size}, {}});
}
void rocksdb_writebatch_delete_cf(rocksdb_writebatch_t* to, rocksdb_column_family_handle_t* family, const char* key,
                                  size_t size) {
  to->batch.add({Operation::deletion, family->id, {key, size}, {}});
}
void rocksdb_writebatch_singledelete(rocksdb_writebatch_t* to, const char* key, size_t size) {
  to->batch.add({Operation::single_deletion, default_id, {key, size}, {}});
}
void rocksdb_writebatch_singledelete_cf(rocksdb_writebatch_t* to, rocksdb_column_family_handle_t* family,
                                        const char* key, size_t size) {
  to->batch.add({Operation::single_deletion, family->id, {key, size}, {}});
}
void rocksdb_writebatch_deletev(rocksdb_writebatch_t* to, int count, const char* const* keys, const size_t* sizes) {
  add_joined(to, Operation::deletion, default_id, joined(count, keys, sizes), {});
}
void rocksdb_writebatch_deletev_cf(rocksdb_writebatch_t* to, rocksdb_column_family_handle_t* family, int count,
                                   const char* const* keys, const size_t* sizes) {
  add_joined(to, Operation::deletion, family->id, joined(count, keys, sizes), {});
}

void rocksdb_writebatch_delete_range(rocksdb_writebatch_t* to, const char* begin, size_t begin_size, const char* end,
                                     size_t end_size) {
  to->batch.add({Operation::range, default_id, {begin, begin_size}, {end, end_size}});
}
void rocksdb_writebatch_delete_range_cf(rocksdb_writebatch_t* to, rocksdb_column_family_handle_t* family,
                                        const char* begin, size_t begin_size, const char* end, size_t end_size) {
  to->batch.add({Operation::range, family->id, {begin, begin_size}, {end, end_size}});
}
void rocksdb_writebatch_delete_rangev(rocksdb_writebatch_t* to, int count, const char* const* begins,
                                      const size_t* begin_sizes, const char* const* ends, const size_t* end_sizes) {
  add_joined(to, Operation::range, default_id, joined(count, begins, begin_sizes), joined(count, ends, end_sizes));
}
void rocksdb_writebatch_delete_rangev_cf(rocksdb_writebatch_t* to, rocksdb_column_family_handle_t* family, int count,
                                         const char* const* begins, const size_t* begin_sizes, const char* const* ends,
                                         const size_t* end_sizes) {
  add_joined(to, Operation::range, family->id, joined(count, begins, begin_sizes), joined(count, ends, end_sizes));
}

void rocksdb_writebatch_put_log_data(rocksdb_writebatch_t* to, const char* blob, size_t size) {
  to->batch.add({Operation::log_data, default_id, {blob, size}, {}});
}

void rocksdb_writebatch_iterate(rocksdb_writebatch_t* of, void* state,
                                void (*put)(void*, const char* key, size_t key_size, const char* value,
                                            size_t value_size),
                                void (*deleted)(void*, const char* key, size_t key_size)) {
  of->batch.visit([&](const Record& record) {
    if (record.operation == Operation::value)
      put(state, record.key.data(), record.key.size(), record.value.data(), record.value.size());
    else if (record.operation == Operation::deletion || record.operation == Operation::single_deletion)
      deleted(state, record.key.data(), record.key.size());
    return true;
  });
}

void rocksdb_writebatch_set_save_point(rocksdb_writebatch_t* to) { to->batch.set_save_point(); }
void rocksdb_writebatch_rollback_to_save_point(rocksdb_writebatch_t* to, char** errptr) {
  if (!to->batch.roll_back()) report(leveldb::Status::NotFound(leveldb::Slice()), errptr);
}
void rocksdb_writebatch_pop_save_point(rocksdb_writebatch_t* to, char** errptr) {
  if (!to->batch.pop_save_point()) report(leveldb::Status::NotFound(leveldb::Slice()), errptr);
}

}  // extern "C"
