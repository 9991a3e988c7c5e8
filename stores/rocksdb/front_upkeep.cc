// RocksDB's functions that look after a database. There are no levels, tables and memory tables: what a caller may rely
// on after `flush` and `compact_range` is that everything written is where it stays.
#include <charconv>
#include <filesystem>
#include <optional>

#include "database.h"
#include "range.h"
#include "range_size.h"

using namespace perdure::stores;
using namespace perdure::stores::rocksdb;

namespace {

void sync(rocksdb_t* database, char** errptr) {
  attempt(database, errptr, [&] { database->store().sync(); });
}

/// For functions that report nothing: who writes with `sync` next is told.
void sync(rocksdb_t* database) {
  status_of(database->name, [&] { database->store().sync(); });
}

std::uint64_t count_keys(rocksdb_t& database, const rocksdb_column_family_handle_t& family) {
  std::uint64_t count = 0;
  const Reading reading(database.store());
  visit_range(database.store(), reading.moment(), family.prefix.begin(), family.prefix.end(),
              [&](const Cell*) { ++count; });
  return count;
}

std::uint64_t file_bytes(rocksdb_t& database) { return std::filesystem::file_size(database.store().file()); }

std::string stats(rocksdb_t& database) {
  return "Perdure: " + database.store().file().string() +
         "\nbytes of the file: " + std::to_string(file_bytes(database)) +
         "\nsnapshots and iterators: " + std::to_string(database.store().readers()) +
         "\nold versions kept for them: " + std::to_string(database.store().kept_versions()) + "\n";
}

/// The properties that mean something here. The one pool counts as a table in level 0.
std::optional<std::string> property(rocksdb_t& database, const rocksdb_column_family_handle_t& family,
                                    std::string_view name) {
  constexpr std::string_view prefix = "rocksdb.", level = "num-files-at-level";
  if (!name.starts_with(prefix)) return std::nullopt;
  name.remove_prefix(prefix.size());
  if (name.starts_with(level)) return name == "num-files-at-level0" ? "1" : "0";
  if (name == "stats") return stats(database);
  if (name == "estimate-num-keys") return std::to_string(count_keys(database, family));
  if (name == "estimate-live-data-size")
    return std::to_string(range_size(database.store(), family.prefix.begin(), family.prefix.end()));
  if (name == "total-sst-files-size" || name == "live-sst-files-size") return std::to_string(file_bytes(database));
  return std::nullopt;
}

char* property_value(rocksdb_t* database, const rocksdb_column_family_handle_t& family, const char* name) {
  std::optional<std::string> value;
  status_of(database->name, [&] { value = property(*database, family, name); });
  return value ? text_for_program(*value) : nullptr;
}

/// \returns 0 if there is such a property, and it is a number; otherwise -1.
int property_number(rocksdb_t* database, const rocksdb_column_family_handle_t& family, const char* name,
                    uint64_t* number) {
  std::optional<std::string> value;
  status_of(database->name, [&] { value = property(*database, family, name); });
  if (!value) return -1;
  const char* const end = value->data() + value->size();
  const auto parsed = std::from_chars(value->data(), end, *number);
  return parsed.ec == std::errc() && parsed.ptr == end ? 0 : -1;
}

void approximate_sizes(rocksdb_t* database, const rocksdb_column_family_handle_t& family, int count,
                       const char* const* begins, const size_t* begin_sizes, const char* const* ends,
                       const size_t* end_sizes, uint64_t* sizes, char** errptr) {
  for (int i = 0; i < count; ++i) {
    sizes[i] = 0;
    attempt(database, errptr, [&] {
      sizes[i] = range_size(database->store(), family.prefix.key({begins[i], begin_sizes[i]}),
                            family.prefix.key({ends[i], end_sizes[i]}));
    });
  }
}

}  // namespace

extern "C" {

void rocksdb_flush(rocksdb_t* database, const rocksdb_flushoptions_t* /*options*/, char** errptr) {
  sync(database, errptr);
}
void rocksdb_flush_cf(rocksdb_t* database, const rocksdb_flushoptions_t* /*options*/,
                      rocksdb_column_family_handle_t* /*family*/, char** errptr) {
  sync(database, errptr);
}
void rocksdb_flush_wal(rocksdb_t* database, unsigned char is_synced, char** errptr) {
  if (is_synced != 0) sync(database, errptr);
}

void rocksdb_compact_range(rocksdb_t* database, const char* /*begin*/, size_t /*size*/, const char* /*end*/,
                           size_t /*end_size*/) {
  sync(database);
}
void rocksdb_compact_range_cf(rocksdb_t* database, rocksdb_column_family_handle_t* /*family*/, const char* /*begin*/,
                              size_t /*size*/, const char* /*end*/, size_t /*end_size*/) {
  sync(database);
}
void rocksdb_compact_range_opt(rocksdb_t* database, rocksdb_compactoptions_t* /*options*/, const char* /*begin*/,
                               size_t /*size*/, const char* /*end*/, size_t /*end_size*/) {
  sync(database);
}
void rocksdb_compact_range_cf_opt(rocksdb_t* database, rocksdb_column_family_handle_t* /*family*/,
                                  rocksdb_compactoptions_t* /*options*/, const char* /*begin*/, size_t /*size*/,
                                  const char* /*end*/, size_t /*end_size*/) {
  sync(database);
}
void rocksdb_cancel_all_background_work(rocksdb_t* database, unsigned char waits) {
  if (waits != 0) sync(database);
}

// What would only change how tables are made and kept.
void rocksdb_set_options(rocksdb_t* /*database*/, int /*count*/, const char* const /*keys*/[],
                         const char* const /*values*/[], char** /*errptr*/) {}
void rocksdb_set_options_cf(rocksdb_t* /*database*/, rocksdb_column_family_handle_t* /*family*/, int /*count*/,
                            const char* const /*keys*/[], const char* const /*values*/[], char** /*errptr*/) {}
void rocksdb_suggest_compact_range(rocksdb_t* /*database*/, const char* /*begin*/, size_t /*size*/, const char* /*end*/,
                                   size_t /*end_size*/, char** /*errptr*/) {}
void rocksdb_suggest_compact_range_cf(rocksdb_t* /*database*/, rocksdb_column_family_handle_t* /*family*/,
                                      const char* /*begin*/, size_t /*size*/, const char* /*end*/, size_t /*end_size*/,
                                      char** /*errptr*/) {}
void rocksdb_disable_manual_compaction(rocksdb_t* /*database*/) {}
void rocksdb_enable_manual_compaction(rocksdb_t* /*database*/) {}

char* rocksdb_property_value(rocksdb_t* database, const char* name) {
  return property_value(database, database->default_family, name);
}
char* rocksdb_property_value_cf(rocksdb_t* database, rocksdb_column_family_handle_t* family, const char* name) {
  return property_value(database, *family, name);
}
int rocksdb_property_int(rocksdb_t* database, const char* name, uint64_t* number) {
  return property_number(database, database->default_family, name, number);
}
int rocksdb_property_int_cf(rocksdb_t* database, rocksdb_column_family_handle_t* family, const char* name,
                            uint64_t* number) {
  return property_number(database, *family, name, number);
}

void rocksdb_approximate_sizes(rocksdb_t* database, int count, const char* const* begins, const size_t* begin_sizes,
                               const char* const* ends, const size_t* end_sizes, uint64_t* sizes, char** errptr) {
  approximate_sizes(database, database->default_family, count, begins, begin_sizes, ends, end_sizes, sizes, errptr);
}
void rocksdb_approximate_sizes_cf(rocksdb_t* database, rocksdb_column_family_handle_t* family, int count,
                                  const char* const* begins, const size_t* begin_sizes, const char* const* ends,
                                  const size_t* end_sizes, uint64_t* sizes, char** errptr) {
  approximate_sizes(database, *family, count, begins, begin_sizes, ends, end_sizes, sizes, errptr);
}

}  // extern "C"
