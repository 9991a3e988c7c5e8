#ifndef PERDURE_LOG_RECORD_H
#define PERDURE_LOG_RECORD_H

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>

#include "log/shared_memory.h"
#include "pool/format.h"

/// The redo log as it lies in the pool (docs/pool-format.md). A record is the log of one transaction: a chain of
/// segments, each a header line followed by entries.
///
/// Validity: a record counts if and only if the status of its first segment is not 0. The status is stored after the
/// other fields of its line, and stores to one line persist in program order; it is flushed only after a fence behind
/// the flushes of all entries and of the headers of all other segments. So a status that is seen vouches for
/// everything.
namespace perdure::log {

inline constexpr std::uint64_t inactive = 0;

/// A segment is a superblock of its own.
inline constexpr std::size_t segment_bytes = pool::superblock_bytes;

struct alignas(64) SegmentHeader {
  std::uint64_t status;       ///< `inactive`, or the commit timestamp; only in the first segment of a record
  std::uint64_t entry_count;  ///< entries in this segment
  std::uint64_t chunk_bytes;  ///< size of the data in an entry; 8 means WordEntry, otherwise ChunkEntry
  std::uint64_t next;         ///< address of the record's next segment, or 0
  std::array<std::uint64_t, 4> reserved;  ///< 0
};
static_assert(sizeof(SegmentHeader) == 64);

/// Byte-exact logging: the bytes of an aligned 8-byte word that the transaction wrote.
struct alignas(32) WordEntry {
  static constexpr std::size_t chunk_bytes = 8;
  static constexpr bool is_whole = false;  ///< may hold only some of the chunk's bytes

  std::uint64_t address;
  std::uint64_t value;
  std::uint64_t mask;  ///< 0xff in each byte that `value` holds
  std::uint64_t reserved;

  const std::byte* data() const { return reinterpret_cast<const std::byte*>(&value); }
  std::byte* data() { return reinterpret_cast<std::byte*>(&value); }

  void write_back() const {
    auto* const target = reinterpret_cast<std::uint64_t*>(address);
    if (mask == ~std::uint64_t{0}) return store_shared(target, value);
    // The other bytes of the word may belong to someone who is not in a transaction: store byte by byte.
    for (unsigned i = 0; i < 8; ++i)
      if (((mask >> (8 * i)) & 0xff) != 0)
        store_shared(reinterpret_cast<std::uint8_t*>(address) + i, static_cast<std::uint8_t>(value >> (8 * i)));
  }
};
static_assert(sizeof(WordEntry) == 32, "an entry never straddles a line, so one flush covers it");

/// Coarse logging (PACT'19, section IV.B): a whole aligned chunk, all of it valid. 16, 32 or 64 bytes.
template <std::size_t Bytes>
struct ChunkEntry {
  static_assert(Bytes == 16 || Bytes == 32 || Bytes == 64);
  static constexpr std::size_t chunk_bytes = Bytes;
  static constexpr bool is_whole = true;

  std::uint64_t address;
  std::array<std::uint64_t, Bytes / 8> words;

  const std::byte* data() const { return reinterpret_cast<const std::byte*>(words.data()); }
  std::byte* data() { return reinterpret_cast<std::byte*>(words.data()); }

  void write_back() const {
    auto* const target = reinterpret_cast<std::uint64_t*>(address);
    for (std::size_t i = 0; i < words.size(); ++i) store_shared(target + i, words[i]);
  }
};

}  // namespace perdure::log

#endif
