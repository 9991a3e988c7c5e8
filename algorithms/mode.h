#ifndef PERDURE_ALGORITHMS_MODE_H
#define PERDURE_ALGORITHMS_MODE_H

#include <cstddef>

#include "log/record.h"

#ifndef PERDURE_CHUNK_BYTES
#define PERDURE_CHUNK_BYTES 32
#endif

/// The modes: an algorithm is combined with one to make a library. Every optimisation of PACT'19 is a switch here, so
/// that each can be measured alone.
namespace perdure::mode {

/// Chunk size of coarse logging, in bytes: 16, 32 or 64, chosen at build (PERDURE_GRANULARITY).
inline constexpr std::size_t chunk_bytes = PERDURE_CHUNK_BYTES;

/// Software transactional memory: isolation without durability.
struct Stm {
  static constexpr bool durable = false;
  static constexpr bool last_allocation_tracking = false;  ///< IV.A
  static constexpr bool deferred_flushing = false;         ///< IV.D
  /// Flush each line of the log once instead of each entry, and no data line twice in a row.
  static constexpr bool coalesced_log_flushes = false;
  static constexpr bool quiescence = true;  ///< II.C
  /// No other thread uses the locals of the functions around a transaction: they are accessed directly, and restored on
  /// abort.
  static constexpr bool private_stack = false;
  using PoolEntry = log::WordEntry;  ///< log granularity: IV.B
};

/// Listing 1 as it stands: the paper's baseline.
struct Naive : Stm {
  static constexpr bool durable = true;
};

/// The general model (II.F): a transaction may use pool memory and other memory.
struct Gp : Naive {
  static constexpr bool last_allocation_tracking = true;
  static constexpr bool deferred_flushing = true;
  static constexpr bool coalesced_log_flushes = true;
};

/// The ideal model (II.F): a transaction uses pool memory and its thread's own stack, and pool memory is accessed in
/// transactions only; so whole chunks are logged and nobody waits for privatisation. Other memory is still handled
/// byte-exactly, isolated, and rolled back on abort.
struct Ip : Gp {
  static constexpr bool quiescence = false;
  static constexpr bool private_stack = true;
  using PoolEntry = log::ChunkEntry<chunk_bytes>;
};

/// For `seq` and `floor`, which define themselves.
struct Yardstick : Stm {
  static constexpr bool quiescence = false;
};

}  // namespace perdure::mode

#endif
