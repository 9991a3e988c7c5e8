// RocksDB's functions that read single keys, and snapshots.
#include <optional>

#include "database.h"
#include "range.h"

using namespace perdure::stores;
using namespace perdure::stores::rocksdb;

struct rocksdb_pinnableslice_t {
  std::string value;
};

namespace {

/// \returns whether there is a value; `errptr` says if that could not be found out.
bool read(rocksdb_t* database, Stamp at, const FamilyPrefix& prefix, std::string_view key, std::string& value,
          char** errptr) {
  bool is_there = false;
  attempt(database, errptr, [&] { is_there = database->store().read(prefix.key(key), at, value); });
  return is_there;
}

char* get(rocksdb_t* database, const rocksdb_readoptions_t* options, const rocksdb_column_family_handle_t& family,
          std::string_view key, size_t* size, char** errptr) {
  std::string value;
  const bool is_there = read(database, moment_in(options), family.prefix, key, value, errptr);
  *size = value.size();
  return is_there ? copy_for_program(value) : nullptr;
}

rocksdb_pinnableslice_t* get_pinned(rocksdb_t* database, Stamp at, const rocksdb_column_family_handle_t& family,
                                    std::string_view key, char** errptr) {
  auto found = std::make_unique<rocksdb_pinnableslice_t>();
  return read(database, at, family.prefix, key, found->value, errptr) ? found.release() : nullptr;
}

/// A moment for several keys: a snapshot's, or now.
class CommonMoment {
 public:
  CommonMoment(rocksdb_t* database, const rocksdb_readoptions_t* options) : moment_(moment_in(options)) {
    if (moment_ != latest) return;
    const leveldb::Status status = status_of(database->name, [&] { reading_.emplace(database->store()); });
    if (status.ok()) moment_ = reading_->moment();  // otherwise each key's reading says that the disk has failed
  }
  Stamp stamp() const { return moment_; }

 private:
  Stamp moment_;
  std::optional<Reading> reading_;
};

/// \param family_of  the family of a key, by its position.
template <class FamilyOf>
void multi_get(rocksdb_t* database, const rocksdb_readoptions_t* options, FamilyOf family_of, size_t count,
               const char* const* keys, const size_t* key_sizes, char** values, size_t* value_sizes, char** errors) {
  const CommonMoment moment(database, options);
  std::string value;
  for (size_t i = 0; i < count; ++i) {
    errors[i] = nullptr;
    const rocksdb_column_family_handle_t& family = family_of(i);
    const bool is_there = read(database, moment.stamp(), family.prefix, {keys[i], key_sizes[i]}, value, &errors[i]);
    values[i] = is_there ? copy_for_program(value) : nullptr;
    value_sizes[i] = is_there ? value.size() : 0;
  }
}

/// Unlike RocksDB, the store knows: a key that may exist is there, unless the disk has failed.
unsigned char may_exist(rocksdb_t* database, const rocksdb_readoptions_t* options,
                        const rocksdb_column_family_handle_t& family, std::string_view key, char** value, size_t* size,
                        unsigned char* found) {
  std::string copy;
  char* error = nullptr;
  const bool is_there = read(database, moment_in(options), family.prefix, key, copy, &error);
  const bool is_known = error == nullptr;
  std::free(error);
  if (found != nullptr) {
    *found = is_there;
    if (is_there) {
      *value = copy_for_program(copy);
      *size = copy.size();
    }
  }
  return is_there || !is_known;
}

}  // namespace

extern "C" {

char* rocksdb_get(rocksdb_t* database, const rocksdb_readoptions_t* options, const char* key, size_t key_size,
                  size_t* size, char** errptr) {
  return get(database, options, database->default_family, {key, key_size}, size, errptr);
}
char* rocksdb_get_cf(rocksdb_t* database, const rocksdb_readoptions_t* options, rocksdb_column_family_handle_t* family,
                     const char* key, size_t key_size, size_t* size, char** errptr) {
  return get(database, options, *family, {key, key_size}, size, errptr);
}

rocksdb_pinnableslice_t* rocksdb_get_pinned(rocksdb_t* database, const rocksdb_readoptions_t* options, const char* key,
                                            size_t key_size, char** errptr) {
  return get_pinned(database, moment_in(options), database->default_family, {key, key_size}, errptr);
}
rocksdb_pinnableslice_t* rocksdb_get_pinned_cf(rocksdb_t* database, const rocksdb_readoptions_t* options,
                                               rocksdb_column_family_handle_t* family, const char* key, size_t key_size,
                                               char** errptr) {
  return get_pinned(database, moment_in(options), *family, {key, key_size}, errptr);
}
void rocksdb_pinnableslice_destroy(rocksdb_pinnableslice_t* slice) { delete slice; }
const char* rocksdb_pinnableslice_value(const rocksdb_pinnableslice_t* slice, size_t* size) {
  *size = slice == nullptr ? 0 : slice->value.size();
  return slice == nullptr ? nullptr : slice->value.data();
}

void rocksdb_multi_get(rocksdb_t* database, const rocksdb_readoptions_t* options, size_t count, const char* const* keys,
                       const size_t* key_sizes, char** values, size_t* value_sizes, char** errors) {
  const auto family_of = [&](size_t) -> const auto& { return database->default_family; };
  multi_get(database, options, family_of, count, keys, key_sizes, values, value_sizes, errors);
}
void rocksdb_multi_get_cf(rocksdb_t* database, const rocksdb_readoptions_t* options,
                          const rocksdb_column_family_handle_t* const* families, size_t count, const char* const* keys,
                          const size_t* key_sizes, char** values, size_t* value_sizes, char** errors) {
  const auto family_of = [&](size_t i) -> const auto& { return *families[i]; };
  multi_get(database, options, family_of, count, keys, key_sizes, values, value_sizes, errors);
}
void rocksdb_batched_multi_get_cf(rocksdb_t* database, const rocksdb_readoptions_t* options,
                                  rocksdb_column_family_handle_t* family, size_t count, const char* const* keys,
                                  const size_t* key_sizes, rocksdb_pinnableslice_t** values, char** errors,
                                  bool /*sorted_input*/) {
  const CommonMoment moment(database, options);
  for (size_t i = 0; i < count; ++i) {
    errors[i] = nullptr;
    values[i] = get_pinned(database, moment.stamp(), *family, {keys[i], key_sizes[i]}, &errors[i]);
  }
}

unsigned char rocksdb_key_may_exist(rocksdb_t* database, const rocksdb_readoptions_t* options, const char* key,
                                    size_t key_size, char** value, size_t* size, const char* /*timestamp*/,
                                    size_t /*timestamp_size*/, unsigned char* found) {
  return may_exist(database, options, database->default_family, {key, key_size}, value, size, found);
}
unsigned char rocksdb_key_may_exist_cf(rocksdb_t* database, const rocksdb_readoptions_t* options,
                                       rocksdb_column_family_handle_t* family, const char* key, size_t key_size,
                                       char** value, size_t* size, const char* /*timestamp*/, size_t /*timestamp_size*/,
                                       unsigned char* found) {
  return may_exist(database, options, *family, {key, key_size}, value, size, found);
}

/// Null, which stands for now, when the disk has failed: what reads then says so.
const rocksdb_snapshot_t* rocksdb_create_snapshot(rocksdb_t* database) {
  const rocksdb_snapshot_t* made = nullptr;
  status_of(database->name, [&] { made = new rocksdb_snapshot_t{database->store().begin_reading()}; });
  return made;
}
void rocksdb_release_snapshot(rocksdb_t* database, const rocksdb_snapshot_t* snapshot) {
  if (snapshot == nullptr) return;
  const std::unique_ptr<const rocksdb_snapshot_t> released(snapshot);
  status_of(database->name, [&] { database->store().end_reading(released->stamp); });
}

}  // extern "C"
