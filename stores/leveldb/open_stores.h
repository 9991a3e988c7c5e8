#ifndef PERDURE_STORES_LEVELDB_OPEN_STORES_H
#define PERDURE_STORES_LEVELDB_OPEN_STORES_H

#include "store.h"

namespace perdure::stores {

/// Says that a store is open, while it lives. A program that ends without closing its databases, as many do, so loses
/// nothing that it wrote without `sync`: it becomes durable at exit. (LevelDB's would be in the page cache.)
class OpenStore {
 public:
  explicit OpenStore(Store& store);
  OpenStore(const OpenStore&) = delete;
  OpenStore& operator=(const OpenStore&) = delete;
  ~OpenStore();

 private:
  Store& store_;
};

}  // namespace perdure::stores

#endif
