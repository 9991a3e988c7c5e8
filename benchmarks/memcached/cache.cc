#include "cache.h"

#include <unordered_set>

namespace perdure::benchmarks::memcached {

std::vector<std::string> Cache::violations() const {
  if (!is_prepared()) return {"the pool holds no cache"};
  auto found = index_.violations();
  std::unordered_set<const Item*> indexed;
  index_.for_each_entry([&](Key key, const Item* first) {
    for (const Item* item = first; item != nullptr; item = item->next_of_hash) {
      if (!indexed.insert(item).second) return found.emplace_back("index: an item is there twice"), void();
      const ItemKey item_key(std::string_view(item->key(), item->key_size));
      if (item_key.hash != item->hash || key_of(item->hash) != key)
        found.emplace_back("index: an item with a wrong hash");
    }
  });
  std::size_t ordered = 0;
  for (std::size_t i = 0; i < partition_count_; ++i) {
    const auto& partition = partitions_[i];
    for (auto& violation : partition.violations()) found.push_back(std::move(violation));
    for (const Item* item = partition.newest(); item != nullptr && ordered <= indexed.size(); item = item->older) {
      ++ordered;
      if (!indexed.contains(item)) found.emplace_back("recency: an item that is not in the index");
      if (&partition_of(item->hash) != &partition) found.emplace_back("recency: an item of another partition");
    }
  }
  if (ordered != indexed.size()) {
    found.push_back(std::to_string(indexed.size()) + " items in the index, " + std::to_string(ordered) +
                    " in the orders of recency");
  }
  return found;
}

}  // namespace perdure::benchmarks::memcached
