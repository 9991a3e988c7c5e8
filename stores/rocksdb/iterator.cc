#include "iterator.h"

#include "slices.h"

using namespace perdure::stores;
using namespace perdure::stores::rocksdb;

namespace {

std::unique_ptr<StoreIterator> make(rocksdb_t& database, Stamp moment) {
  if (moment == latest) return std::make_unique<StoreIterator>(database.store(), database.name);
  return std::make_unique<StoreIterator>(database.store(), database.name, moment);
}

struct ReleaseSnapshot {
  rocksdb_t* database;
  void operator()(const rocksdb_snapshot_t* snapshot) const { rocksdb_release_snapshot(database, snapshot); }
};

}  // namespace

rocksdb_iterator_t::rocksdb_iterator_t(rocksdb_t& database, const rocksdb_readoptions_t* options,
                                       const rocksdb_column_family_handle_t& family)
    : database_(database),
      order_(&database.store().order()),
      prefix_(family.prefix),
      begin_(prefix_.begin()),
      end_(prefix_.end()),
      is_tailing_(settings(options).has("tailing")) {
  if (const auto bound = settings(options).text("iterate_lower_bound")) begin_ = prefix_.key(*bound);
  if (const auto bound = settings(options).text("iterate_upper_bound")) end_ = prefix_.key(*bound);
  begin(moment_in(options));
}

void rocksdb_iterator_t::begin(Stamp moment) {
  status_ = status_of(database_.name, [&] { all_ = make(database_, moment); });
}

void rocksdb_iterator_t::check_end() {
  is_within_ = all_ != nullptr && all_->Valid() && compare(key_with_prefix(), end_) < 0;
}

void rocksdb_iterator_t::check_begin() {
  is_within_ = all_ != nullptr && all_->Valid() && compare(key_with_prefix(), begin_) >= 0;
}

void rocksdb_iterator_t::seek_upwards(std::string_view key) {
  if (is_tailing_) begin(latest);
  if (all_ != nullptr) all_->Seek(slice(key));
  check_end();
}

void rocksdb_iterator_t::seek_before(std::string_view key) {
  if (is_tailing_) begin(latest);
  if (all_ != nullptr) all_->SeekBefore(slice(key));
  check_begin();
}

void rocksdb_iterator_t::seek(std::string_view key) {
  const std::string sought = prefix_.key(key);
  seek_upwards(compare(sought, begin_) < 0 ? begin_ : sought);
}

void rocksdb_iterator_t::seek_for_previous(std::string_view key) {
  const std::string sought = prefix_.key(key);
  if (compare(sought, end_) >= 0) return seek_to_last();
  seek_upwards(sought);
  if (is_within_ && compare(key_with_prefix(), sought) == 0) return check_begin();
  seek_before(sought);
}

void rocksdb_iterator_t::next() {
  if (!is_within_) return;
  all_->Next();
  check_end();
}

void rocksdb_iterator_t::previous() {
  if (!is_within_) return;
  all_->Prev();
  check_begin();
}

std::string_view rocksdb_iterator_t::key() const { return FamilyPrefix::without(key_with_prefix()); }
std::string_view rocksdb_iterator_t::value() const { return view(all_->value()); }

extern "C" {

rocksdb_iterator_t* rocksdb_create_iterator(rocksdb_t* database, const rocksdb_readoptions_t* options) {
  return new rocksdb_iterator_t(*database, options, database->default_family);
}
rocksdb_iterator_t* rocksdb_create_iterator_cf(rocksdb_t* database, const rocksdb_readoptions_t* options,
                                               rocksdb_column_family_handle_t* family) {
  return new rocksdb_iterator_t(*database, options, *family);
}
void rocksdb_create_iterators(rocksdb_t* database, rocksdb_readoptions_t* options,
                              rocksdb_column_family_handle_t** families, rocksdb_iterator_t** iterators, size_t count,
                              char** errptr) {
  const std::unique_ptr<const rocksdb_snapshot_t, ReleaseSnapshot> now(rocksdb_create_snapshot(database), {database});
  perdure::stores::rocksdb::Settings common(settings(options));
  if (common.get<const rocksdb_snapshot_t*>("snapshot") == nullptr) common.set("snapshot", now.get());
  for (size_t i = 0; i < count; ++i) {
    iterators[i] = new rocksdb_iterator_t(*database, reinterpret_cast<rocksdb_readoptions_t*>(&common), *families[i]);
    report(iterators[i]->status(), errptr);
  }
}
void rocksdb_iter_destroy(rocksdb_iterator_t* iterator) { delete iterator; }

unsigned char rocksdb_iter_valid(const rocksdb_iterator_t* iterator) { return iterator->is_valid(); }
void rocksdb_iter_seek_to_first(rocksdb_iterator_t* iterator) { iterator->seek_to_first(); }
void rocksdb_iter_seek_to_last(rocksdb_iterator_t* iterator) { iterator->seek_to_last(); }
void rocksdb_iter_seek(rocksdb_iterator_t* iterator, const char* key, size_t size) { iterator->seek({key, size}); }
void rocksdb_iter_seek_for_prev(rocksdb_iterator_t* iterator, const char* key, size_t size) {
  iterator->seek_for_previous({key, size});
}
void rocksdb_iter_next(rocksdb_iterator_t* iterator) { iterator->next(); }
void rocksdb_iter_prev(rocksdb_iterator_t* iterator) { iterator->previous(); }

const char* rocksdb_iter_key(const rocksdb_iterator_t* iterator, size_t* size) {
  const std::string_view key = iterator->key();
  *size = key.size();
  return key.data();
}
const char* rocksdb_iter_value(const rocksdb_iterator_t* iterator, size_t* size) {
  const std::string_view value = iterator->value();
  *size = value.size();
  return value.data();
}
void rocksdb_iter_get_error(const rocksdb_iterator_t* iterator, char** errptr) { report(iterator->status(), errptr); }

}  // extern "C"
