#ifndef PERDURE_STATISTICS_H
#define PERDURE_STATISTICS_H

#include <cstdint>

namespace perdure {

/// Event counts, summed over all threads since the program started (or since the last reset). Counted per thread
/// without synchronisation, so a sum taken while transactions run is approximate. All are zero in a library built
/// with PERDURE_STATISTICS=OFF.
struct Statistics {
  std::uint64_t commits = 0;                 ///< transactions that wrote
  std::uint64_t read_only_commits = 0;       ///< transactions that did not
  std::uint64_t aborts_locked = 0;           ///< found a location locked by another transaction
  std::uint64_t aborts_validation = 0;       ///< a location read had changed
  std::uint64_t aborts_exception = 0;        ///< an exception left the body
  std::uint64_t waits = 0;                   ///< rolled back to wait until something that was read changes
  std::uint64_t flushes = 0;                 ///< cache lines flushed
  std::uint64_t fences = 0;                  ///< persistence fences
  std::uint64_t log_bytes = 0;               ///< bytes written to persistent logs
  std::uint64_t retired_lines = 0;           ///< of the flushes, those that made data durable after its commit (`fast`)
  std::uint64_t redo_lookups = 0;            ///< reads that looked into the own redo log: what they read may be there
  std::uint64_t redo_hits = 0;               ///< look-ups that found something there
  std::uint64_t validations = 0;             ///< checks whether what a transaction read is unchanged
  std::uint64_t extensions = 0;              ///< successful extensions of a transaction's start time
  std::uint64_t hourglass_turns = 0;         ///< transactions that took the hourglass
  std::uint64_t quiescence_waits = 0;        ///< commits, and updates of `twin`, that waited for another transaction
  std::uint64_t quiescence_nanoseconds = 0;  ///< how long they waited, summed
  std::uint64_t allocations = 0;             ///< blocks allocated in transactions
  std::uint64_t frees = 0;                   ///< blocks freed in transactions
  std::uint64_t serial_transactions = 0;     ///< transactions that ran alone, or did so from some point on
  std::uint64_t solitudes = 0;               ///< times a thread found itself alone, and left out what isolates it
  std::uint64_t hardware_commits = 0;        ///< hardware transactions that have committed (libraries with them)
  std::uint64_t hardware_aborts = 0;         ///< hardware transactions that have not; another, or software, goes on
  std::uint64_t bytes_given_back = 0;        ///< disk space of free parts of pools, given back to the file system
  std::uint64_t replica_turns = 0;           ///< times that another copy of a pool counted from then on (`twin`)
  std::uint64_t commits_for_others = 0;      ///< of the commits, those of transactions that another thread ran (`twin`)

  // Not of events, and so not reset: what there is now, in all open pools.
  std::uint64_t replicas = 0;       ///< superblocks of further copies (`twin`)
  std::uint64_t replica_bytes = 0;  ///< what these copies take up in the pools
};

/// The counts so far.
Statistics statistics();

/// Sets all counts to zero. No transaction may be running.
void reset_statistics();

/// The library this program is linked with, as `algorithm_mode` ("orec_lazy_fast").
const char* library_name();

/// Whether that library makes pools durable.
bool library_is_durable();

/// Whether what that library does in hardware transactions is done in software, since this processor has none. Always
/// false of libraries that need none.
bool library_lacks_hardware();

}  // namespace perdure

#endif
