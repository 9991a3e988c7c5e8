#ifndef PERDURE_STORES_LEVELDB_STORE_ITERATOR_H
#define PERDURE_STORES_LEVELDB_STORE_ITERATOR_H

#include <string>

#include <leveldb/iterator.h>

#include "store.h"

namespace perdure::stores {

/// Goes through the entries of one moment. A transaction finds some of them; they lie where they are, and stay there,
/// because this is a reader of their moment. So keys and values are not copied.
class StoreIterator final : public leveldb::Iterator {
 public:
  /// Of now.
  StoreIterator(Store& store, std::string name);
  /// Of a moment that has a reader. It may go before this does.
  StoreIterator(Store& store, std::string name, Stamp moment);
  ~StoreIterator() override;

  bool Valid() const override { return at_ < harvest_.entries.size(); }
  void SeekToFirst() override { find_upwards({{}, true, true}); }
  void SeekToLast() override { find_downwards({{}, true, false}); }
  void Seek(const leveldb::Slice& target) override;
  /// To the last entry that comes before the target.
  void SeekBefore(const leveldb::Slice& target);
  void Next() override;
  void Prev() override;
  leveldb::Slice key() const override;
  leveldb::Slice value() const override;
  leveldb::Status status() const override { return status_; }

 private:
  void find_upwards(Start start);
  void find_downwards(Start start);
  void invalidate();

  Store& store_;
  std::string name_;
  Stamp moment_;
  bool is_upwards_ = true;
  Harvest harvest_;
  std::size_t at_ = 0;
  unsigned leaves_ = 1;  // that the next transaction looks at: more, the longer it goes on
  leveldb::Status status_;
};

}  // namespace perdure::stores

#endif
