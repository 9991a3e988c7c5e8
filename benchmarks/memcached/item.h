#ifndef PERDURE_BENCHMARKS_MEMCACHED_ITEM_H
#define PERDURE_BENCHMARKS_MEMCACHED_ITEM_H

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>
#include <new>

#include "expiry.h"
#include "item_key.h"

namespace perdure::benchmarks::memcached {

/// A cached value with its key. Key and value lie behind it, in the same block.
struct Item {
  Item* next_of_hash = nullptr;  // another key with the same 64-bit hash
  Item* newer = nullptr;         // in its partition's order of recency
  Item* older = nullptr;
  std::uint64_t hash = 0;
  std::uint64_t cas = 0;
  UnixSeconds expiry = never;
  UnixSeconds used = 0;  // when it was last moved to the front of the order of recency
  std::uint32_t flags = 0;
  std::uint32_t value_size = 0;
  std::uint8_t key_size = 0;
  bool is_fetched = false;
  bool is_stale = false;
  bool is_won = false;  // some client has been told to make the value anew
  bool is_binary_key = false;

  char* key() { return reinterpret_cast<char*>(this + 1); }
  const char* key() const { return reinterpret_cast<const char*>(this + 1); }
  char* value() { return key() + key_size; }
  const char* value() const { return key() + key_size; }

  bool has_key(const ItemKey& wanted) const {
    return hash == wanted.hash && key_size == wanted.size &&
           std::memcmp(key(), wanted.characters.data(), key_size) == 0;
  }

  /// What an item takes of the memory limit: its block, and its entry in the index.
  static std::size_t footprint(std::size_t key_size, std::size_t value_size) {
    constexpr std::size_t block = 32;        // the pool's alignment of blocks
    constexpr std::size_t index_entry = 32;  // a node of the hash index
    return (sizeof(Item) + key_size + value_size + block - 1) / block * block + index_entry;
  }
  std::size_t footprint() const { return footprint(key_size, value_size); }

  /// A new item with that key and room for a value, in one block.
  static Item* make(const ItemKey& key, std::size_t value_size) {
    Item* item = new (::operator new(sizeof(Item) + key.size + value_size)) Item;
    item->hash = key.hash;
    item->key_size = key.size;
    item->value_size = static_cast<std::uint32_t>(value_size);
    std::memcpy(item->key(), key.characters.data(), key.size);
    return item;
  }

  static void destroy(Item* item) { ::operator delete(item); }
};

}  // namespace perdure::benchmarks::memcached

#endif
