#ifndef PERDURE_LOG_REDO_MEMORY_H
#define PERDURE_LOG_REDO_MEMORY_H

#include <array>
#include <concepts>
#include <cstdint>
#include <cstring>

#include "log/write_set.h"
#include "stats/counters.h"

/// Reading and writing through a write set, for values of 1 to 8 bytes at naturally aligned addresses (which so never
/// straddle a chunk).
namespace perdure::log {

/// The bytes of `mask` that a T at `address` covers in its 8-byte word.
template <class T>
inline std::uint64_t mask_of(const T* address) {
  constexpr std::uint64_t ones = sizeof(T) == 8 ? ~std::uint64_t{0} : (std::uint64_t{1} << (8 * sizeof(T) % 64)) - 1;
  return ones << (8 * (reinterpret_cast<std::uintptr_t>(address) % 8));
}

/// Entries that know which of their words were written.
template <class Entry>
concept HoldsWords = requires(const Entry entry, const void* address) {
  { entry.holds(address) } -> std::same_as<bool>;
};

template <class T, class Entry>
inline T value_in(const Entry& entry, const T* address) {
  T value;
  std::memcpy(&value, entry.data() + (reinterpret_cast<std::uintptr_t>(address) - entry.address), sizeof(T));
  return value;
}

template <class T, class Entry>
inline void set_value_in(Entry& entry, const T* address, T value) {
  std::memcpy(entry.data() + (reinterpret_cast<std::uintptr_t>(address) - entry.address), &value, sizeof(T));
}

/// What the transaction wrote itself, else `consistent_read(address)`, else, where only some of the bytes were written,
/// both (Listing 1, lines 15 to 17). Out of line, saving its registers itself, and with arguments that fit into some,
/// so that reading what was not written needs no frame.
template <class T, class Entry, class ConsistentRead>
[[gnu::noinline, clang::preserve_most]] T look_up(WriteSet<Entry>& writes, const T* address,
                                                  ConsistentRead consistent_read) {
  stats::counters.redo_lookups.add(1);
  const Entry* const entry = writes.find(WriteSet<Entry>::chunk_of(address));
  if (entry == nullptr) return consistent_read(address);
  stats::counters.redo_hits.add(1);
  if constexpr (HoldsWords<Entry>) {
    if (!entry->holds(address)) return consistent_read(address);
  } else if constexpr (!Entry::is_whole) {
    const std::uint64_t wanted = mask_of(address);
    const std::uint64_t written = entry->mask & wanted;
    if (written == 0) return consistent_read(address);
    if (written != wanted) {
      const unsigned shift = 8 * (reinterpret_cast<std::uintptr_t>(address) % 8);
      const T from_memory = consistent_read(address);
      const T own = static_cast<T>((entry->value & written) >> shift);
      return static_cast<T>((from_memory & ~static_cast<T>(written >> shift)) | own);
    }
  }
  return value_in(*entry, address);
}

/// Reads through the write set.
template <class T, class Entry, class ConsistentRead>
inline T read_through(WriteSet<Entry>& writes, const T* address, ConsistentRead consistent_read) {
  if (!writes.may_contain(WriteSet<Entry>::chunk_of(address))) [[likely]]
    return consistent_read(address);
  return look_up(writes, address, consistent_read);
}

/// Fills words of a chunk one by one.
template <class Words, class Read>
inline void fill_words(std::uintptr_t chunk, Words& words, Read&& read) {
  for (std::size_t i = 0; i < words.size(); ++i) words[i] = read(reinterpret_cast<const std::uint64_t*>(chunk) + i);
}

/// Where the log holds whole words: of a word that is written in part the rest is read.
template <class T, HoldsWords Entry, class ConsistentFill>
inline void write_through(WriteSet<Entry>& writes, T* address, T value, ConsistentFill&& consistent_fill) {
  const std::uintptr_t chunk = WriteSet<Entry>::chunk_of(address);
  const std::size_t number = Entry::word_of(address);
  Entry* entry = writes.find(chunk);
  if constexpr (sizeof(T) < sizeof(std::uint64_t)) {
    if (entry == nullptr || !entry->holds(address)) {
      std::array<std::uint64_t, 1> word;
      consistent_fill(chunk + number * sizeof(std::uint64_t), word);  // before the entry exists: it may abort
      if (entry == nullptr) {
        entry = &writes.insert(chunk);
        entry->dirty = 0;
      }
      entry->words[number] = word[0];
    }
  } else if (entry == nullptr) {
    entry = &writes.insert(chunk);
    entry->dirty = 0;
  }
  set_value_in(*entry, address, value);
  entry->dirty |= std::uint64_t{1} << number;
}

/// Writes to the write set (Listing 1, line 20). A new whole chunk is first filled from memory by
/// `consistent_fill(chunk, words)`: these are bytes that the transaction has not asked for, but like any other read
/// they must be consistent (trap 7).
template <class T, class Entry, class ConsistentFill>
  requires(!HoldsWords<Entry>)
inline void write_through(WriteSet<Entry>& writes, T* address, T value, ConsistentFill&& consistent_fill) {
  const std::uintptr_t chunk = WriteSet<Entry>::chunk_of(address);
  Entry* entry = writes.find(chunk);
  if (entry == nullptr) {
    if constexpr (Entry::is_whole) {
      Entry filled;
      consistent_fill(chunk, filled.words);  // before the entry exists: it may abort or extend
      entry = &writes.insert(chunk);
      entry->words = filled.words;
    } else {
      entry = &writes.insert(chunk);
      entry->value = entry->mask = entry->reserved = 0;
    }
  }
  set_value_in(*entry, address, value);
  if constexpr (!Entry::is_whole) entry->mask |= mask_of(address);
}

}  // namespace perdure::log

#endif
