#ifndef PERDURE_STORES_LEVELDB_DATABASE_H
#define PERDURE_STORES_LEVELDB_DATABASE_H

#include <memory>
#include <string>

#include <leveldb/comparator.h>
#include <leveldb/db.h>
#include <leveldb/env.h>

#include "open_stores.h"
#include "store.h"

namespace perdure::stores {

/// Keys as one of LevelDB's comparators orders them.
KeyOrder order_of(const leveldb::Comparator& comparator);

inline std::string_view view(const leveldb::Slice& slice) { return {slice.data(), slice.size()}; }
inline leveldb::Slice slice(std::string_view text) { return {text.data(), text.size()}; }

/// LevelDB's lock of a folder: it keeps other processes out, and other databases of this one.
class FolderLock {
 public:
  FolderLock(leveldb::Env& env, leveldb::FileLock* lock) : env_(&env), lock_(lock) {}
  FolderLock(const FolderLock&) = delete;
  FolderLock& operator=(const FolderLock&) = delete;
  ~FolderLock() { env_->UnlockFile(lock_); }

 private:
  leveldb::Env* env_;
  leveldb::FileLock* lock_;
};

/// The store, as a database of LevelDB's.
class Database final : public leveldb::DB {
 public:
  Database(std::string name, const leveldb::Options& options, std::unique_ptr<FolderLock> lock,
           std::unique_ptr<Store> store);
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
  std::unique_ptr<FolderLock> lock_;  // given back last
  std::unique_ptr<Store> store_;
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
