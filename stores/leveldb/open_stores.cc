#include "open_stores.h"

#include <cstdlib>
#include <mutex>
#include <set>

namespace perdure::stores {
namespace {

struct All {
  std::mutex mutex;
  std::set<Store*> stores;
};

/// Never destroyed: databases may outlive static objects.
All& all() {
  static All& made = *new All();
  return made;
}

void sync_all() {
  const std::lock_guard lock(all().mutex);
  for (Store* const store : all().stores) try {
      store->sync();
    } catch (const std::exception&) {  // the disk has failed: whoever waited for it was told
    }
}

}  // namespace

OpenStore::OpenStore(Store& store) : store_(store) {
  static const bool is_registered = std::atexit(&sync_all) == 0;
  static_cast<void>(is_registered);
  const std::lock_guard lock(all().mutex);
  all().stores.insert(&store_);
}

OpenStore::~OpenStore() {
  const std::lock_guard lock(all().mutex);
  all().stores.erase(&store_);
}

}  // namespace perdure::stores
