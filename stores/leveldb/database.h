#ifndef PERDURE_STORES_LEVELDB_DATABASE_H
#define PERDURE_STORES_LEVELDB_DATABASE_H

#include <memory>
#include <string>

#include <leveldb/comparator.h>
#include <leveldb/db.h>

#include "open_folder.h"
#include "open_stores.h"
#include "slices.h"
#include "store.h"

namespace perdure::stores {

/// Keys as one of LevelDB's comparators orders them.
KeyOrder order_of(const leveldb::Comparator& comparator);

/// The store, as a database of LevelDB's.
class Database final : public leveldb::DB {
 public:
  Database(std::string name, const leveldb::Options& options, OpenFolder folder);
  ~Database() override;

  leveldb::Status Put(const leveldb::WriteOptions& options, const leveldb::Slice& key,
                      const leveldb::Slice& value) override;
  leveldb::Status Delete(const leveldb::WriteOptions& options, const leveldb::Slice& key) override;
  leveldb::Status Write(const leveldb::WriteOptions& options, leveldb::WriteBatch* updates) override;
  leveldb::Status Get(const leveldb::ReadOptions& options, const leveldb::Slice& key, std::string* value) override;
  leveldb::Iterator* NewIterator(const leveldb::ReadOptions& options) override;
  const leveldb::Snapshot* GetSnapshot() override;
  void ReleaseSnapshot(const leveldb::Snapshot* snapshot) override;
  bool GetProperty(const leveldb::Slice& property, std::string* value) override;
  void GetApproximateSizes(const leveldb::Range* ranges, int count, std::uint64_t* sizes) override;
  void CompactRange(const leveldb::Slice* begin, const leveldb::Slice* end) override;

 private:
  leveldb::Status write(const leveldb::WriteOptions& options, std::span<const Change> changes);
  std::string stats();

  std::string name_;
  leveldb::Options options_;
  OpenFolder folder_;
  Store* store_;
  OpenStore is_open_;
};

/// A snapshot, as programs hold it.
class Moment final : public leveldb::Snapshot {
 public:
  explicit Moment(Stamp stamp) : stamp_(stamp) {}
  Stamp stamp() const { return stamp_; }

 private:
  Stamp stamp_;
};

}  // namespace perdure::stores

#endif
