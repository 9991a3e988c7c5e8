#ifndef PERDURE_LOG_REDO_MEMORY_H
#define PERDURE_LOG_REDO_MEMORY_H

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>

#include "log/dirty_chunk.h"
#include "log/shared_memory.h"
#include "log/write_set.h"
#include "stats/counters.h"

/// Reading and writing through a write set, for values of 1 to 8 bytes at naturally aligned addresses (which so never
/// straddle a chunk).
namespace perdure::log {

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

/// A value from memory, with the bytes of it that were written.
template <class T, class Entry>
inline T overlay(T from_memory, const Entry& entry, const T* address) {
  const T written = value_in(entry, address);
  std::array<std::byte, sizeof(T)> bytes;
  std::memcpy(bytes.data(), &from_memory, sizeof(T));
  const auto* const own = reinterpret_cast<const std::byte*>(&written);
  const auto* const first = reinterpret_cast<const std::byte*>(address);
  for (std::size_t i = 0; i < sizeof(T); ++i)
    if ((entry.written(first + i) & Entry::bytes_of(first + i)) != 0) bytes[i] = own[i];
  std::memcpy(&from_memory, bytes.data(), sizeof(T));
  return from_memory;
}

/// What the transaction wrote itself, else `consistent_read(address)`, else, where only some of the bytes were written,
/// both (Listing 1, lines 15 to 17). Out of line, so that reading what was not written needs no frame.
template <class T, class Entry, class ConsistentRead>
[[gnu::noinline]] T look_up(WriteSet<Entry>& writes, const T* address, ConsistentRead consistent_read) {
  stats::counters.redo_lookups.add(1);
  const Entry* const entry = writes.find(WriteSet<Entry>::chunk_of(address));
  if (entry == nullptr) return consistent_read(address);
  stats::counters.redo_hits.add(1);
  const auto wanted = Entry::bytes_of(address);
  const auto written = entry->written(address) & wanted;
  if (written == 0) return consistent_read(address);
  if (written != wanted) return overlay(consistent_read(address), *entry, address);
  return value_in(*entry, address);
}

/// Reads through the write set.
template <class T, class Entry, class ConsistentRead>
inline T read_through(WriteSet<Entry>& writes, const T* address, ConsistentRead consistent_read) {
  if (!writes.may_contain(WriteSet<Entry>::chunk_of(address))) [[likely]]
    return consistent_read(address);
  return look_up(writes, address, consistent_read);
}

/// Whether the chunk is there or not.
template <class T, class Entry>
[[gnu::noinline]] void look_up_and_write(WriteSet<Entry>& writes, T* address, T value) {
  const std::uintptr_t chunk = WriteSet<Entry>::chunk_of(address);
  Entry* entry = writes.find(chunk);
  if (entry == nullptr) {
    entry = &writes.insert(chunk);
    entry->clear();
  }
  entry->mark(address);
  set_value_in(*entry, address, value);
}

/// Writes to the write set (Listing 1, line 20). In the most frequent case it calls nothing, so it saves no registers:
/// while a load waits for memory, the processor goes on until there is no room for the stores behind it.
template <class T, class Entry>
inline void write_through(WriteSet<Entry>& writes, T* address, T value) {
  const std::uintptr_t chunk = WriteSet<Entry>::chunk_of(address);
  if (!writes.can_insert_at_once(chunk)) [[unlikely]]
    return look_up_and_write(writes, address, value);
  Entry& entry = writes.insert_at_once(chunk);
  entry.clear();
  entry.mark(address);
  set_value_in(entry, address, value);
}

/// Puts all of a block of whole words into the write set: where nothing has been written to, what memory holds.
template <HoldsChunk Entry>
void add_from_memory(WriteSet<Entry>& writes, const void* block, std::size_t bytes) {
  const auto begin = reinterpret_cast<std::uintptr_t>(block);
  const std::uintptr_t end = begin + bytes;
  for (std::uintptr_t chunk = WriteSet<Entry>::chunk_of(block); chunk < end; chunk += Entry::chunk_bytes) {
    Entry* entry = writes.find(chunk);
    if (entry == nullptr) {
      entry = &writes.insert(chunk);
      entry->clear();
    }
    for (std::uintptr_t word = std::max(chunk, begin); word < std::min(chunk + Entry::chunk_bytes, end);
         word += sizeof(std::uint64_t)) {
      const auto* const address = reinterpret_cast<const std::uint64_t*>(word);
      const std::uint8_t written = entry->written(address);
      if (written == all_bytes) continue;
      const std::uint64_t in_memory = load_shared(address);
      set_value_in(*entry, address, written == 0 ? in_memory : overlay(in_memory, *entry, address));
      entry->mark(address);
    }
  }
}

}  // namespace perdure::log

#endif
