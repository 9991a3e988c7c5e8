#ifndef PERDURE_ALGORITHMS_MODE_H
#define PERDURE_ALGORITHMS_MODE_H

#include <cstddef>
#include <type_traits>

#include "log/dirty_chunk.h"
#include "log/durable_records.h"
#include "log/durable_redo.h"
#include "log/durable_undo.h"
#include "log/record.h"
#include "sched/quiescence.h"

#ifndef PERDURE_CHUNK_BYTES
#define PERDURE_CHUNK_BYTES 32
#endif

/// The modes: an algorithm is combined with one to make a library. Every optimisation of PACT'19 is a switch here, so
/// that each can be measured alone and in any combination (algorithms/variants.cmake).
namespace perdure::mode {

/// Chunk size of coarse logging, in bytes: 16, 32 or 64, chosen at build (PERDURE_GRANULARITY).
inline constexpr std::size_t chunk_bytes = PERDURE_CHUNK_BYTES;

/// Byte-exact logging: what the transaction wrote of an aligned word.
inline constexpr std::size_t byte_exact = log::WordEntry::chunk_bytes;

struct Switches {
  bool durable = false;
  bool last_allocation_tracking = false;  ///< IV.A
  std::size_t granularity = byte_exact;   ///< IV.B: bytes in an entry of the log
  bool fence_pipelining = false;          ///< IV.C, where every access takes a lock
  bool deferred_flushing = false;         ///< IV.D, where updates are deferred
  /// Each line of the log is flushed once instead of once an entry, and each line of data once instead of once a write.
  bool coalesced_flushes = false;
  /// In place: the fence behind the first undo entry also makes the record active. (The paper's begin has its own.)
  bool combined_activation = false;
  /// Where updates are deferred: a commit is one record that vouches for itself, one fence makes it durable, and the
  /// data is flushed later, for many transactions at once (log/durable_records.h). Implies deferred flushing.
  bool self_validating_records = false;
  /// A commit takes all its locks in one hardware transaction, where the processor has them (hardware_locking.h).
  bool locks_in_hardware = false;
  /// A transaction runs in hardware up to its locks, which are taken there, too (hardware_body.h).
  bool runs_in_hardware = false;
  sched::Quiescence quiescence = sched::Quiescence::always;  ///< II.C
  /// No other thread uses the locals of the functions around a transaction: they are accessed directly, and restored on
  /// abort.
  bool private_stack = false;
  /// Of several copies, an update takes the one that lacks least, and waits for that a while (RedoTimed-PTM).
  bool waits_for_latest_copy = false;
  /// What updates are to be is decided before anybody has made them, and then each thread makes them in copies of its
  /// own (CX, EuroSys'20, section 4).
  bool queues_operations = false;
  /// Of a copy everything is flushed before it counts: which stores have changed it is not needed (CX-PUC).
  bool flushes_all = false;
  /// As published, and wrong (tests/tx/doomed_reader_test.cc): freed blocks are reused at once. For the test that shows
  /// it.
  bool immediate_reuse = false;
};

/// Software transactional memory: isolation without durability.
inline constexpr Switches stm = {};

/// Listing 1 as it stands: the paper's baseline.
inline constexpr Switches naive = {.durable = true};

/// The general model (II.F): a transaction may use pool memory and other memory.
inline constexpr Switches gp = {.durable = true,
                                .last_allocation_tracking = true,
                                .fence_pipelining = true,
                                .deferred_flushing = true,
                                .coalesced_flushes = true};

/// The ideal model (II.F): a transaction uses pool memory and its thread's own stack, and pool memory is accessed in
/// transactions only; so chunks are logged and nobody waits for privatisation. Other memory is still handled
/// byte-exactly, isolated, and rolled back on abort.
inline constexpr Switches ip = {.durable = true,
                                .last_allocation_tracking = true,
                                .granularity = chunk_bytes,
                                .fence_pipelining = true,
                                .deferred_flushing = true,
                                .coalesced_flushes = true,
                                .quiescence = sched::Quiescence::never,
                                .private_stack = true};

/// The general model, logged as the ideal one: the address window tells pool memory from other memory, so pool
/// memory is logged in chunks, and only those wait for privatisation whom it can concern. Goes beyond the paper.
inline constexpr Switches gpw = {.durable = true,
                                 .last_allocation_tracking = true,
                                 .granularity = chunk_bytes,
                                 .fence_pipelining = true,
                                 .deferred_flushing = true,
                                 .coalesced_flushes = true,
                                 .combined_activation = true,
                                 .quiescence = sched::Quiescence::other_memory};

/// The model of `gpw` at one fence a transaction. Goes beyond the paper.
inline constexpr Switches fast = {.durable = true,
                                  .last_allocation_tracking = true,
                                  .granularity = chunk_bytes,
                                  .deferred_flushing = true,
                                  .coalesced_flushes = true,
                                  .self_validating_records = true,
                                  .quiescence = sched::Quiescence::other_memory};

/// The model of `fast`, without a log: there are several copies of what transactions write, of which one counts
/// (log/replica_set.h). To the byte, so that a mark comes first: no transaction runs beside it.
inline constexpr Switches twin = {.durable = true,
                                  .last_allocation_tracking = true,
                                  .deferred_flushing = true,
                                  .coalesced_flushes = true,
                                  .quiescence = sched::Quiescence::other_memory};

/// The same, where threads make updates side by side and help each other (algorithms/redo.h). No other thread uses the
/// locals of the functions around a transaction.
inline constexpr Switches helped = [] {
  Switches switches = twin;
  switches.private_stack = true;
  return switches;
}();

/// The same, where who finds another thread at work lets that make its update, too: for a while.
inline constexpr Switches timed = [] {
  Switches switches = helped;
  switches.waits_for_latest_copy = true;
  return switches;
}();

/// The model of `helped`, where operations are put in order first (algorithms/cx.h).
inline constexpr Switches ptm = [] {
  Switches switches = helped;
  switches.queues_operations = true;
  return switches;
}();

/// The same without knowing what was written.
inline constexpr Switches puc = [] {
  Switches switches = ptm;
  switches.flushes_all = true;
  return switches;
}();

/// For `seq` and `floor`, which define themselves.
inline constexpr Switches yardstick = {.quiescence = sched::Quiescence::never};

/// The switches as a type, which is what an algorithm is a template over.
template <Switches switches>
struct Mode {
  static constexpr bool durable = switches.durable;
  static constexpr bool last_allocation_tracking = switches.last_allocation_tracking;
  static constexpr bool fence_pipelining = switches.fence_pipelining;
  static constexpr bool deferred_flushing = switches.deferred_flushing;
  static constexpr bool coalesced_flushes = switches.coalesced_flushes;
  static constexpr bool combined_activation = switches.combined_activation;
  static constexpr bool self_validating_records = switches.self_validating_records;
  static_assert(deferred_flushing || !self_validating_records);
  static constexpr bool locks_in_hardware = switches.locks_in_hardware;
  static constexpr bool runs_in_hardware = switches.runs_in_hardware;
  static constexpr sched::Quiescence quiescence = switches.quiescence;
  static constexpr bool private_stack = switches.private_stack;
  static constexpr bool waits_for_latest_copy = switches.waits_for_latest_copy;
  static constexpr bool queues_operations = switches.queues_operations;
  static constexpr bool flushes_all = switches.flushes_all;
  static constexpr bool immediate_reuse = switches.immediate_reuse;

  static constexpr std::size_t granularity = switches.granularity;
  /// Transactions run while a mark works beside them, and tell it what they overwrite. Not where pool memory that is
  /// private may be written without a transaction, which would not tell: there the mark comes first.
  static constexpr bool shades = durable && granularity != byte_exact;
  static constexpr std::size_t chunk = granularity == byte_exact ? chunk_bytes : granularity;
  /// What the log holds of pool memory, new values and old ones.
  using PoolEntry =
      std::conditional_t<granularity == byte_exact && !self_validating_records, log::WordEntry, log::DirtyChunk<chunk>>;
  using UndoEntry = std::conditional_t<granularity == byte_exact, log::UndoWord, log::UndoChunk<chunk>>;

  /// What a commit does to become durable (log/journal.h): of lazy algorithms, and of those that write in place.
  using Journal = std::conditional_t<
      self_validating_records, log::DurableRecords<Mode>,
      std::conditional_t<deferred_flushing, log::DurableRedo<Mode>, log::DurableRedoAsPublished<Mode>>>;
  template <bool pipelined>
  using UndoJournal = log::DurableUndo<Mode, pipelined>;
};

}  // namespace perdure::mode

#endif
