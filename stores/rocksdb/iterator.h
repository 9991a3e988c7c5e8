#ifndef PERDURE_STORES_ROCKSDB_ITERATOR_H
#define PERDURE_STORES_ROCKSDB_ITERATOR_H

#include <memory>
#include <string>
#include <string_view>

#include "database.h"
#include "slices.h"
#include "store_iterator.h"

/// Goes through a column family, or what lies between the bounds that a program gives.
struct rocksdb_iterator_t {
 public:
  rocksdb_iterator_t(rocksdb_t& database, const rocksdb_readoptions_t* options,
                     const rocksdb_column_family_handle_t& family);

  bool is_valid() const { return is_within_; }
  void seek_to_first() { seek_upwards(begin_); }
  void seek_to_last() { seek_before(end_); }
  void seek(std::string_view key);
  /// To the key, or the last one before it.
  void seek_for_previous(std::string_view key);
  void next();
  void previous();

  std::string_view key() const;
  std::string_view value() const;
  leveldb::Status status() const { return all_ == nullptr ? status_ : all_->status(); }

 private:
  void begin(perdure::stores::Stamp moment);
  void seek_upwards(std::string_view key);
  void seek_before(std::string_view key);
  void check_end();
  void check_begin();
  int compare(std::string_view left, std::string_view right) const { return order_->compare_keys(left, right); }
  std::string_view key_with_prefix() const { return perdure::stores::view(all_->key()); }

  rocksdb_t& database_;
  const perdure::stores::KeyOrder* order_;
  perdure::stores::rocksdb::FamilyPrefix prefix_;
  std::string begin_, end_;  // with the prefix; it is in no key of the family, or what a program gave
  std::unique_ptr<perdure::stores::StoreIterator> all_;  // null: it could not be made
  leveldb::Status status_;
  bool is_tailing_;  ///< each search begins anew, at what is there then
  bool is_within_ = false;
};

#endif
