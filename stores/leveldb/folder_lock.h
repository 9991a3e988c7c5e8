#ifndef PERDURE_STORES_LEVELDB_FOLDER_LOCK_H
#define PERDURE_STORES_LEVELDB_FOLDER_LOCK_H

#include <leveldb/env.h>

namespace perdure::stores {

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

}  // namespace perdure::stores

#endif
