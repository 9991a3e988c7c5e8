// Those of RocksDB's functions for settings whose names or arguments differ from the rule (remaining.py).
#include <rocksdb/c.h>

#include "settings.h"

using namespace perdure::stores::rocksdb;

namespace {

/// Nothing comes into a cache; it knows its capacity.
rocksdb_cache_t* make_cache(size_t capacity) {
  auto* const made = reinterpret_cast<rocksdb_cache_t*>(new Settings());
  settings(made).set("capacity", capacity);
  return made;
}

}  // namespace

extern "C" {

rocksdb_cache_t* rocksdb_cache_create_lru(size_t capacity) { return make_cache(capacity); }
rocksdb_cache_t* rocksdb_cache_create_lru_with_strict_capacity_limit(size_t capacity) { return make_cache(capacity); }
rocksdb_cache_t* rocksdb_cache_create_lru_opts(rocksdb_lru_cache_options_t* options) {
  return make_cache(settings(options).get<size_t>("capacity"));
}

void rocksdb_readoptions_set_iterate_upper_bound(rocksdb_readoptions_t* options, const char* key, size_t size) {
  settings(options).set_text("iterate_upper_bound", key, size);
}
void rocksdb_readoptions_set_iterate_lower_bound(rocksdb_readoptions_t* options, const char* key, size_t size) {
  settings(options).set_text("iterate_lower_bound", key, size);
}
void rocksdb_writeoptions_disable_WAL(rocksdb_writeoptions_t* options, int is_disabled) {
  settings(options).set("disable_WAL", static_cast<unsigned char>(is_disabled != 0));
}

}  // extern "C"
