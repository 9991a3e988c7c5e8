#ifndef PERDURE_BENCHMARKS_HASH_ARRAY_MAPPED_TRIE_H
#define PERDURE_BENCHMARKS_HASH_ARRAY_MAPPED_TRIE_H

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "key.h"

namespace perdure::benchmarks {

/// A set of keys as a hash array mapped trie (Bagwell). A level is about the next six bits of the hash and has an entry
/// for each of their values that occurs: the key, or a further level if several keys have this value. Its entries lie
/// in an array without gaps, which is replaced by another when one is added or removed.
///
/// It is ordinary C++ and knows nothing of transactions.
class HashArrayMappedTrie {
 public:
  HashArrayMappedTrie() = default;
  HashArrayMappedTrie(const HashArrayMappedTrie&) = delete;
  HashArrayMappedTrie& operator=(const HashArrayMappedTrie&) = delete;
  ~HashArrayMappedTrie() { destroy(root_); }

  bool contains(Key key) const { return find(key) != nullptr; }

  /// \returns whether the key was added: it is not when it is there already.
  bool insert(Key key) {
    const auto hash = hash_of(key);
    Entry* level = &root_;
    for (unsigned depth = 0;; ++depth) {
      const auto bit = bit_of(hash, depth);
      if (!level->has(bit)) {
        add(*level, bit, key);
        return true;
      }
      Entry& entry = level->at(bit);
      if (entry.is_key()) {
        if (entry.content == key) return false;
        make_level(entry, key, depth + 1);
        return true;
      }
      level = &entry;
    }
  }

  /// \returns whether the key was there.
  bool erase(Key key) {
    const auto hash = hash_of(key);
    Entry* level = &root_;
    Entry* top = nullptr;  // from this level on, all above the last one have one entry
    for (unsigned depth = 0;; ++depth) {
      const auto bit = bit_of(hash, depth);
      if (!level->has(bit)) return false;
      Entry& entry = level->at(bit);
      if (entry.is_key()) {
        if (entry.content != key) return false;
        if (top != nullptr && level->is_two_keys()) {
          fold(*top, level->entries[1 - level->place(bit)]);
        } else {
          remove(*level, bit);
        }
        return true;
      }
      if (top == nullptr || level->size() > 1) top = &entry;
      level = &entry;
    }
  }

  /// Calls `visit(key)` for every key, in no particular order.
  template <class Visit>
  void for_each(Visit visit) const {
    for_each_below(root_, visit);
  }

  /// What is wrong first with the trie's structure, or nothing. Runs alone.
  std::vector<std::string> violations() const {
    std::vector<std::string> found;
    check_below(root_, 0, found);
    return found;
  }

 private:
  using Bits = std::uint64_t;

  static std::size_t count(Bits bits) { return static_cast<std::size_t>(std::popcount(bits)); }

  // The root is a level, in an empty set without an array; no other level is without entries.
  struct Entry {
    std::uint64_t content;  // a key; or, of a level, which values of the hash's bits occur: a bit for each
    Entry* entries;         // of a level, in the order of these values; null: this is a key

    bool is_key() const { return entries == nullptr; }
    bool has(Bits bit) const { return (content & bit) != 0; }
    std::size_t size() const { return count(content); }
    std::size_t place(Bits bit) const { return count(content & (bit - 1)); }
    Entry& at(Bits bit) const { return entries[place(bit)]; }
    bool is_one_key() const { return size() == 1 && entries[0].is_key(); }
    bool is_two_keys() const { return size() == 2 && entries[0].is_key() && entries[1].is_key(); }
  };

  static constexpr unsigned bits_per_level = 6;  // so that the content of a level has a bit for each value
  static constexpr unsigned most_levels = (64 + bits_per_level - 1) / bits_per_level;

  static Bits bit_of(std::uint64_t hash, unsigned depth) {
    return Bits{1} << (hash >> (depth * bits_per_level)) % (1u << bits_per_level);
  }

  // The entry of this key, or null.
  const Entry* find(Key key) const {
    const auto hash = hash_of(key);
    const Entry* entry = &root_;
    unsigned depth = 0;
    do {
      const auto bit = bit_of(hash, depth++);
      if (!entry->has(bit)) return nullptr;
      entry = &entry->at(bit);
    } while (!entry->is_key());
    return entry->content == key ? entry : nullptr;
  }

  // Makes levels of an entry that is a key, down to where its hash and that of the other key part: no two are equal.
  static void make_level(Entry& entry, Key other, unsigned depth) {
    const Key one = entry.content;
    for (Entry* level = &entry;; ++depth) {
      const auto bit = bit_of(hash_of(one), depth), other_bit = bit_of(hash_of(other), depth);
      if (bit != other_bit) {
        auto* entries = new Entry[2];
        entries[bit > other_bit] = {one, nullptr};
        entries[bit < other_bit] = {other, nullptr};
        *level = {bit | other_bit, entries};
        return;
      }
      auto* entries = new Entry[1];
      *level = {bit, entries};
      level = entries;
    }
  }

  static void add(Entry& level, Bits bit, Key key) {
    const auto size = level.size(), place = level.place(bit);
    const Entry* old = level.entries;
    auto* entries = new Entry[size + 1];
    std::copy(old, old + place, entries);
    entries[place] = {key, nullptr};
    std::copy(old + place, old + size, entries + place + 1);
    level = {level.content | bit, entries};
    delete[] old;
  }

  static void remove(Entry& level, Bits bit) {
    const Bits rest = level.content & ~bit;
    const auto size = count(rest), place = level.place(bit);
    const Entry* old = level.entries;
    auto* entries = size == 0 ? nullptr : new Entry[size];
    std::copy(old, old + place, entries);
    std::copy(old + place + 1, old + size + 1, entries + place);
    level = {rest, entries};
    delete[] old;
  }

  // Puts a key in the place of levels with one entry each, and of the one below them, which has keys only.
  static void fold(Entry& top, Entry key) {
    const Entry* entries = top.entries;
    top = key;
    while (entries != nullptr) {
      const Entry* below = entries->entries;
      delete[] entries;
      entries = below;
    }
  }

  // A trie with a ring is one with too many levels.
  void check_below(const Entry& level, unsigned depth, std::vector<std::string>& found) const {
    if (depth > 0 && level.is_one_key()) found.emplace_back("trie: a level has one key only");
    if (depth == most_levels) found.emplace_back("trie: a level is too deep");
    if (depth > 0 && level.size() == 0) found.emplace_back("trie: a level is empty");
    for (std::size_t i = 0; i < level.size() && found.empty(); ++i) {
      const Entry& entry = level.entries[i];
      if (!entry.is_key()) {
        check_below(entry, depth + 1, found);
      } else if (find(entry.content) != &entry) {
        found.push_back("trie: key " + std::to_string(entry.content) + " is not found where it is");
      }
    }
  }

  template <class Visit>
  static void for_each_below(const Entry& level, Visit& visit) {
    for (std::size_t i = 0; i < level.size(); ++i) {
      const Entry& entry = level.entries[i];
      if (entry.is_key()) {
        visit(entry.content);
      } else {
        for_each_below(entry, visit);
      }
    }
  }

  static void destroy(const Entry& level) {
    for (std::size_t i = 0; i < level.size(); ++i) {
      if (!level.entries[i].is_key()) destroy(level.entries[i]);
    }
    delete[] level.entries;
  }

  Entry root_{0, nullptr};
};

}  // namespace perdure::benchmarks

#endif
