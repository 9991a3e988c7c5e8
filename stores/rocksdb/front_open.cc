// RocksDB's functions that open, close and destroy databases.
#include <filesystem>
#include <vector>

#include "open.h"

using namespace perdure::stores::rocksdb;

namespace {

rocksdb_t* open_families(const rocksdb_options_t* options, const char* name, std::span<const WantedFamily> wanted,
                         rocksdb_column_family_handle_t** handles, bool is_read_only, char** errptr) {
  std::unique_ptr<rocksdb_t> opened;
  if (!report(open(options, name, wanted, is_read_only, opened), errptr)) return nullptr;
  for (std::size_t i = 0; handles != nullptr && i < wanted.size(); ++i)
    handles[i] = new rocksdb_column_family_handle_t(opened->handle_of(opened->families->find(wanted[i].name)));
  return opened.release();
}

rocksdb_t* open_default(const rocksdb_options_t* options, const char* name, bool is_read_only, char** errptr) {
  const WantedFamily wanted{default_family, comparator_in(options)};
  return open_families(options, name, {&wanted, 1}, nullptr, is_read_only, errptr);
}

std::vector<WantedFamily> families_in(int count, const char* const* names, const rocksdb_options_t* const* options) {
  std::vector<WantedFamily> wanted;
  for (int i = 0; i < count; ++i) wanted.push_back({names[i], comparator_in(options[i])});
  return wanted;
}

}  // namespace

extern "C" {

rocksdb_t* rocksdb_open(const rocksdb_options_t* options, const char* name, char** errptr) {
  return open_default(options, name, false, errptr);
}

rocksdb_t* rocksdb_open_for_read_only(const rocksdb_options_t* options, const char* name, unsigned char /*wal*/,
                                      char** errptr) {
  return open_default(options, name, true, errptr);
}

rocksdb_t* rocksdb_open_column_families(const rocksdb_options_t* options, const char* name, int count,
                                        const char* const* names, const rocksdb_options_t* const* family_options,
                                        rocksdb_column_family_handle_t** handles, char** errptr) {
  return open_families(options, name, families_in(count, names, family_options), handles, false, errptr);
}

rocksdb_t* rocksdb_open_for_read_only_column_families(const rocksdb_options_t* options, const char* name, int count,
                                                      const char* const* names,
                                                      const rocksdb_options_t* const* family_options,
                                                      rocksdb_column_family_handle_t** handles, unsigned char /*wal*/,
                                                      char** errptr) {
  return open_families(options, name, families_in(count, names, family_options), handles, true, errptr);
}

void rocksdb_close(rocksdb_t* database) { delete database; }

void rocksdb_destroy_db(const rocksdb_options_t* /*options*/, const char* name, char** errptr) {
  report(destroy(name), errptr);
}

void rocksdb_repair_db(const rocksdb_options_t* options, const char* name, char** errptr) {
  report(repair(options, name), errptr);
}

void rocksdb_create_dir_if_missing(rocksdb_env_t* /*environment*/, const char* path, char** errptr) {
  std::error_code error;
  std::filesystem::create_directory(path, error);
  if (error) report(leveldb::Status::IOError(path, error.message()), errptr);
}

void rocksdb_free(void* pointer) { std::free(pointer); }

}  // extern "C"
