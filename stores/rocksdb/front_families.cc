// RocksDB's functions for column families.
#include <mutex>

#include "open.h"
#include "range.h"

using namespace perdure::stores;
using namespace perdure::stores::rocksdb;

namespace {

/// Takes away all keys of a family and its name, at once.
void drop(rocksdb_t& database, const rocksdb_column_family_handle_t& handle) {
  const Reading reading(database.store());
  std::string record;
  std::vector<Change> changes{Families::change_to_drop(handle.id, record)};
  visit_range(database.store(), reading.moment(), handle.prefix.begin(), handle.prefix.end(),
              [&](const Cell* entry) { changes.push_back({Kind::deletion, key_of(entry), {}}); });
  database.store().write(changes, perdure::Acknowledgement::sync);
  database.families->note_dropped(handle.id);
}

}  // namespace

extern "C" {

char** rocksdb_list_column_families(const rocksdb_options_t* /*options*/, const char* name, size_t* count,
                                    char** errptr) {
  std::vector<std::string> names;
  *count = 0;
  if (!report(list_families(name, names), errptr)) return nullptr;
  auto** const list = static_cast<char**>(std::malloc(names.size() * sizeof(char*)));
  for (const std::string& each : names) list[(*count)++] = text_for_program(each);
  return list;
}

void rocksdb_list_column_families_destroy(char** list, size_t count) {
  for (size_t i = 0; i < count; ++i) std::free(list[i]);
  std::free(list);
}

rocksdb_column_family_handle_t* rocksdb_create_column_family(rocksdb_t* database, const rocksdb_options_t* options,
                                                             const char* name, char** errptr) {
  if (!may_write(database, errptr)) return nullptr;
  const std::unique_lock alone(database->writing);
  Families& families = *database->families;
  if (families.is_there(families.find(name))) {
    report(leveldb::Status::InvalidArgument("Column family already exists"), errptr);
    return nullptr;
  }
  FamilyId id = default_id;
  if (!attempt(database, errptr, [&] { id = families.create(database->store(), name, comparator_in(options)); }))
    return nullptr;
  return new rocksdb_column_family_handle_t(database->handle_of(id));
}

void rocksdb_drop_column_family(rocksdb_t* database, rocksdb_column_family_handle_t* handle, char** errptr) {
  if (!may_write(database, errptr)) return;
  const std::unique_lock alone(database->writing);
  if (handle->id == default_id)
    report(leveldb::Status::InvalidArgument("Can't drop default column family"), errptr);
  else if (!database->families->is_there(handle->id))
    report(leveldb::Status::InvalidArgument("Column family already dropped!\n"), errptr);
  else
    attempt(database, errptr, [&] { drop(*database, *handle); });
}

void rocksdb_column_family_handle_destroy(rocksdb_column_family_handle_t* handle) { delete handle; }

uint32_t rocksdb_column_family_handle_get_id(rocksdb_column_family_handle_t* handle) { return handle->id; }

char* rocksdb_column_family_handle_get_name(rocksdb_column_family_handle_t* handle, size_t* size) {
  *size = handle->name.size();
  return copy_for_program(handle->name);
}

}  // extern "C"
