#ifndef PERDURE_LOG_RECORD_H
#define PERDURE_LOG_RECORD_H

#include <array>
#include <atomic>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>

#include "log/shared_memory.h"
#include "persist/step.h"
#include "pool/format.h"

/// The logs as they lie in the pool (docs/pool-format.md). A record is the log of one transaction: a chain of segments,
/// each a header line followed by entries.
///
/// A record counts if and only if the status of its first segment is not 0. The status is stored after the other fields
/// of its line, and stores to one line persist in program order.
///
/// Redo: the status is flushed only after a fence behind the flushes of all entries and of the headers of all other
/// segments. So a status that is seen vouches for everything.
///
/// Undo: entries come after the status, so each vouches for itself: it counts if its tag is the generation of its
/// segment. The tag is stored last in its line; the generation is used once in the segment's life, and durable before
/// any entry is stamped with it. Entries that lie in the segment from earlier records carry smaller tags.
namespace perdure::log {

inline constexpr std::uint64_t inactive = 0;

/// A segment is a superblock of its own.
inline constexpr std::size_t segment_bytes = pool::superblock_bytes;

enum class LogKind : std::uint64_t {
  redo = 0,
  undo = 1,
  records = 2,  ///< log/commit_record.h: of the header only the kind counts
  prepared = 3  ///< log/preparation.h: the status is a checksum
};

struct alignas(64) SegmentHeader {
  std::uint64_t status;       ///< `inactive`, or (redo) the commit timestamp, (undo) 1; only in the first of a record
  std::uint64_t entry_count;  ///< redo: entries in this segment; of changed bytes, the words in it
  std::uint64_t chunk_bytes;  ///< size of the data in an entry (8: WordEntry or UndoWord), or `of_changed_bytes`
  std::uint64_t next;         ///< address of the record's next segment, or 0
  LogKind kind;               ///< what the entries are
  std::uint64_t generation;   ///< undo: the tag of the entries that count; never decreases
  std::array<std::uint64_t, 2> reserved;  ///< 0

  /// `chunk_bytes` of a redo log that holds what changed of chunks (log/changed_bytes.h).
  static constexpr std::uint64_t of_changed_bytes = 1;
};
static_assert(sizeof(SegmentHeader) == 64);

/// All bytes of a word, where each is told of by a bit.
inline constexpr std::uint8_t all_bytes = 0xff;

/// Calls `function(address, value)` for each naturally aligned part of a word whose bytes are in `bytes`.
template <class Function>
inline void for_each_part(std::uint64_t address, std::uint64_t value, std::uint8_t bytes, Function&& function) {
  if (bytes == all_bytes) [[likely]]
    return function(reinterpret_cast<std::uint64_t*>(address), value);
  for (unsigned rest = bytes; rest != 0;) {
    const auto first = static_cast<unsigned>(std::countr_zero(rest));
    const auto pass = [&]<class T>(T part) {
      function(reinterpret_cast<T*>(address + first), part);
      return ((1U << sizeof(T)) - 1) << first;
    };
    if (first % 4 == 0 && (rest >> first) % 16 == 15)
      rest &= ~pass(static_cast<std::uint32_t>(value >> (8 * first)));
    else if (first % 2 == 0 && (rest >> first) % 4 == 3)
      rest &= ~pass(static_cast<std::uint16_t>(value >> (8 * first)));
    else
      rest &= ~pass(static_cast<std::uint8_t>(value >> (8 * first)));
  }
}

/// Stores the bytes of `value` that are in `bytes`. The others of the word may belong to someone who is not in a
/// transaction, so they are not touched.
inline void store_bytes(std::uint64_t address, std::uint64_t value, std::uint8_t bytes) {
  for_each_part(address, value, bytes, [](auto* where, auto part) { store_shared(where, part); });
}

/// A mask with 0xff in each byte that is meant, as a bit for each.
constexpr std::uint8_t bytes_in(std::uint64_t mask) {
  constexpr std::uint64_t lowest = 0x0101010101010101;
  constexpr std::uint64_t gather = 0x0102040810204080;  // moves bit 8 i to bit 56 + i
  return static_cast<std::uint8_t>((mask & lowest) * gather >> 56);
}
static_assert(bytes_in(0xff000000000000ff) == 0x81 && bytes_in(~std::uint64_t{0}) == all_bytes && bytes_in(0) == 0 &&
              bytes_in(0x00ff00ffff00ff00) == 0x5a);

/// The bytes that a T at `address` covers in its 8-byte word, as such a mask.
template <class T>
inline std::uint64_t mask_of(const T* address) {
  constexpr std::uint64_t ones = sizeof(T) == 8 ? ~std::uint64_t{0} : (std::uint64_t{1} << (8 * sizeof(T) % 64)) - 1;
  return ones << (8 * (reinterpret_cast<std::uintptr_t>(address) % 8));
}

/// Byte-exact logging: the bytes of an aligned 8-byte word that the transaction wrote.
struct alignas(32) WordEntry {
  static constexpr std::size_t chunk_bytes = 8;

  std::uint64_t address;
  std::uint64_t value;
  std::uint64_t mask;  ///< 0xff in each byte that `value` holds
  std::uint64_t reserved;

  const std::byte* data() const { return reinterpret_cast<const std::byte*>(&value); }
  std::byte* data() { return reinterpret_cast<std::byte*>(&value); }

  void clear() { value = mask = reserved = 0; }

  /// The bytes of the word that a T at `where` covers, as `written` tells of them.
  template <class T>
  static std::uint64_t bytes_of(const T* where) {
    return mask_of(where);
  }
  std::uint64_t written(const void*) const { return mask; }
  template <class T>
  void mark(const T* where) {
    mask |= mask_of(where);
  }

  void write_back() const { store_bytes(address, value, bytes_in(mask)); }

  /// Calls `function(address, value)` for what was written, in naturally aligned parts.
  template <class Function>
  void for_each_written(Function&& function) const {
    for_each_part(address, value, bytes_in(mask), function);
  }
};
static_assert(sizeof(WordEntry) == 32, "an entry never straddles a line, so one flush covers it");

/// A whole aligned chunk, all of it valid. 16, 32 or 64 bytes. So earlier programs logged, and may have left it to be
/// replayed.
template <std::size_t Bytes>
struct ChunkEntry {
  static_assert(Bytes == 16 || Bytes == 32 || Bytes == 64);
  static constexpr std::size_t chunk_bytes = Bytes;

  std::uint64_t address;
  std::array<std::uint64_t, Bytes / 8> words;

  void write_back() const {
    auto* const target = reinterpret_cast<std::uint64_t*>(address);
    for (std::size_t i = 0; i < words.size(); ++i) store_shared(target + i, words[i]);
  }
};

/// The old bytes of a word, exactly those that the transaction was about to write.
struct alignas(32) UndoWord {
  static constexpr std::size_t chunk_bytes = 8;
  static constexpr bool is_whole = false;

  std::uint64_t address;
  std::uint64_t value;
  std::uint64_t mask;
  std::uint64_t tag;

  /// Saves what memory holds. Whoever calls this owns the location.
  void save(std::uintptr_t chunk, std::uint64_t bytes, std::uint64_t generation) {
    persistence::in_order<persistence::Step::fields_before_tag>(
        [&] {
          address = chunk;
          value = load_shared(reinterpret_cast<const std::uint64_t*>(chunk));
          mask = bytes;
        },
        // Release keeps the other fields before the tag, in their common line and so in persistent memory.
        [&] { std::atomic_ref(tag).store(generation, std::memory_order_release); });
  }

  bool counts(std::uint64_t generation) const { return tag == generation; }
  void restore() const { store_bytes(address, value, bytes_in(mask)); }
};
static_assert(sizeof(UndoWord) == 32, "an entry never straddles a line");

/// A part of an undo entry that lies in one line, with a tag of its own.
template <std::size_t Words, std::size_t Bytes>
struct alignas(Bytes) TaggedWords {
  std::array<std::uint64_t, Words> words;
  std::uint64_t tag;
};

/// The old values of a whole aligned chunk. Where it does not fit into one line, both lines are tagged.
template <std::size_t Bytes>
struct UndoChunk {
  static_assert(Bytes == 16 || Bytes == 32 || Bytes == 64);
  static constexpr std::size_t chunk_bytes = Bytes;
  static constexpr bool is_whole = true;
  static constexpr std::size_t words = Bytes / 8;
  static constexpr std::size_t words_in_first_line = words < 6 ? words : 6;
  static constexpr std::size_t lines = words > words_in_first_line ? 2 : 1;

  /// Each line: (in the first) the address, words, the tag.
  std::array<TaggedWords<1 + words_in_first_line, Bytes == 16 ? 32 : 64>, lines> parts;

  void save(std::uintptr_t chunk, std::uint64_t, std::uint64_t generation) {
    persistence::in_order<persistence::Step::fields_before_tag>(
        [&] {
          parts[0].words[0] = chunk;
          for (std::size_t i = 0; i < words; ++i)
            word(i) = load_shared(reinterpret_cast<const std::uint64_t*>(chunk) + i);
        },
        [&] {
          for (auto& part : parts) std::atomic_ref(part.tag).store(generation, std::memory_order_release);
        });
  }

  bool counts(std::uint64_t generation) const {
    for (const auto& part : parts)
      if (part.tag != generation) return false;
    return true;
  }

  void restore() const {
    auto* const target = reinterpret_cast<std::uint64_t*>(parts[0].words[0]);
    for (std::size_t i = 0; i < words; ++i) store_shared(target + i, const_cast<UndoChunk*>(this)->word(i));
  }

 private:
  std::uint64_t& word(std::size_t i) {
    return i < words_in_first_line ? parts[0].words[1 + i] : parts[lines - 1].words[i - words_in_first_line];
  }
};
static_assert(sizeof(UndoChunk<16>) == 32 && sizeof(UndoChunk<32>) == 64 && sizeof(UndoChunk<64>) == 128);

/// Where the entries of an undo log lie in a segment: behind the header, at multiples of their size.
template <class Entry>
struct UndoEntries {
  static constexpr std::size_t first = sizeof(Entry) > sizeof(SegmentHeader) ? sizeof(Entry) : sizeof(SegmentHeader);
  static constexpr std::size_t capacity = (segment_bytes - first) / sizeof(Entry);

  static Entry& at(SegmentHeader& segment, std::size_t number) {
    return reinterpret_cast<Entry*>(reinterpret_cast<std::byte*>(&segment) + first)[number];
  }
};

/// The address of the chunk that an entry of any kind is about: its first field.
inline std::uint64_t address_in(const std::byte* entry) {
  std::uint64_t address = 0;
  std::memcpy(&address, entry, sizeof address);
  return address;
}

/// How recovery reads the entries of one kind and size.
struct EntryFormat {
  LogKind kind;
  std::size_t chunk_bytes;
  std::size_t bytes;  ///< of an entry
  std::size_t first;  ///< offset of the first entry in a segment
  /// Undo: whether the entry belongs to the record of this generation.
  bool (*counts)(const std::byte* entry, std::uint64_t generation);
  /// Stores what the entry holds to its place.
  void (*apply)(const std::byte* entry);
};

/// Entries of a redo log may lie at any multiple of 8, so they are copied out; tags never change while they are looked
/// at, so undo entries are not.
template <class Entry>
constexpr EntryFormat redo_format() {
  return {LogKind::redo, Entry::chunk_bytes, sizeof(Entry), sizeof(SegmentHeader), nullptr, [](const std::byte* bytes) {
            Entry entry;
            std::memcpy(static_cast<void*>(&entry), bytes, sizeof entry);
            if constexpr (requires { entry.mask; })
              entry.mask = persistence::value<persistence::Step::written_bytes>(entry.mask);
            entry.write_back();
          }};
}

template <class Entry>
constexpr EntryFormat undo_format() {
  return {LogKind::undo,
          Entry::chunk_bytes,
          sizeof(Entry),
          UndoEntries<Entry>::first,
          [](const std::byte* bytes, std::uint64_t generation) {
            return reinterpret_cast<const Entry*>(bytes)->counts(generation);
          },
          [](const std::byte* bytes) { reinterpret_cast<const Entry*>(bytes)->restore(); }};
}

inline constexpr std::array entry_formats = {
    redo_format<WordEntry>(),      redo_format<ChunkEntry<16>>(), redo_format<ChunkEntry<32>>(),
    redo_format<ChunkEntry<64>>(), undo_format<UndoWord>(),       undo_format<UndoChunk<16>>(),
    undo_format<UndoChunk<32>>(),  undo_format<UndoChunk<64>>(),
};

}  // namespace perdure::log

#endif
