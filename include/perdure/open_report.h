#ifndef PERDURE_OPEN_REPORT_H
#define PERDURE_OPEN_REPORT_H

#if __cplusplus < 201703L
#error "Perdure's pools need C++17 or later: compile with -std=c++17"
#endif

#include <cstddef>
#include <cstdint>
#include <string_view>

namespace perdure {

/// What a transaction that has returned survives.
enum class Durability {
  automatic,  ///< `power` where the medium and the library can, `process` otherwise: OpenReport::medium says which
  process,    ///< a crash of the process; on persistent memory, power failures, too
  power       ///< power failures, also on an ordinary file system, by a log; where that is not possible, an error
};

/// When a transaction returns that a log on a disk makes durable (see also perdure/durability.h).
enum class Acknowledgement {
  sync,    ///< when it is durable, with all that it has seen
  relaxed  ///< at once; a power failure, or a kill, may take the last ones, but never a part of one, nor one before
           ///< them
};

/// How a pool is opened.
struct OpenOptions {
  /// The largest size the file may grow to, in bytes, rounded down to a multiple of 64 KiB and at least 1 MiB; 0 means
  /// as large as its place in the address space allows. That is 256 GiB, or what is said here when the pool is made, if
  /// that is more: up to 4 TiB. Takes effect at each open and is not stored. An allocation beyond it throws
  /// `std::bad_alloc`, as one does that the disk has no room for.
  std::size_t size_limit = 0;

  /// On an ordinary file system `power` needs a library of the mode `fast`; the default is `power` with such a library,
  /// and `process` with others, on tmpfs and on network file systems. A pool gets its log ("pool.log") when it is first
  /// opened with `power`; from then on the file alone is not the pool, until it is opened with `process`, which takes
  /// the log away. A transaction over several pools needs all of them to have one, or none. On persistent memory
  /// nothing changes. OpenReport::medium says what the pool survives.
  Durability durability = Durability::automatic;

  /// With `power` on a network file system: believe it that what it says is on a disk is there, as its server and how
  /// it is mounted decide. Otherwise such a pool is refused (Kind::usage).
  bool trust_network = false;

  /// Of a pool on a disk with a log. In both cases a transaction throws DurabilityError, and so do all that change
  /// something later, when the disk fails.
  Acknowledgement acknowledgement = Acknowledgement::sync;

  /// How late a transaction may be durable that is acknowledged `relaxed`, in milliseconds. It is sooner where much is
  /// written.
  unsigned lag_milliseconds = 10;

  /// The size of that log when it is made, in bytes, rounded to a multiple of 4096 and at least 1 MiB. 0: 64 MiB, or
  /// the size limit where that is less, but at least 4 MiB. Half of it bounds what one transaction may write to what
  /// was there before.
  std::size_t log_bytes = 0;

  /// The folder in which that log is made, on another device perhaps; empty: that of the pool. Where it is says a
  /// symbolic link beside the pool. The text is used while the pool is opened only.
  std::string_view log_folder{};

  /// Of a pool with a log: how many bytes of it may be in memory that the system cannot take back, because they were
  /// changed; about, in bytes. More than that is given up after a checkpoint, and read from the file when it is used
  /// again. 0: a quarter of the machine's memory. Without effect in `lock_lazy`.
  std::size_t memory_budget = 0;

  /// Of a pool with a log: read all of it first, and refuse it (Kind::damaged) if a page is not what was written there
  /// last. Otherwise that is found where recovery reads, in the first pages, and by `perdure check` and `scrub`.
  bool verify_pages = false;

  /// How many bytes of records each thread may have that recovery would replay, in the mode `fast`; a transaction that
  /// writes more than that counts with all it writes. With more, lines that are written often are flushed less often;
  /// with less, recovery is shorter and freed memory is reused sooner.
  std::size_t log_budget = std::size_t{32} * 1024;

  /// In the mode `twin`: how many copies there are of what transactions write, the pool itself included; 0 means 2, and
  /// at most 32 are possible. With two, an update waits for transactions that still read what the one before it has
  /// replaced. With more, updates go on beside `copies - 3` transactions that only read and are slow, or stopped. In
  /// the mode `helped`, 0 means 8 and the least is 3, and half of `copies - 3` threads may be stopped in their updates.
  /// Each copy takes up as much of the file as was written to. Takes effect at each open and is not stored.
  std::size_t copies = 0;

  /// Open an existing pool for reading. The file is not changed, not even when its last user crashed: it is then
  /// recovered in this process's memory only, and stays to be recovered. Any number of processes may read a pool at
  /// once, while none has it open otherwise. Transactions may read the pool; one that writes to it throws Error and is
  /// rolled back, and a store outside of transactions is a fault. What they allocate comes from other memory; what they
  /// free in the pool stays.
  bool read_only = false;

  /// After a crash: have the mark at its end, which finds the blocks in use, before the pool is handed over. Otherwise
  /// it works in the background, but not in the modes `naive` and `gp`; meanwhile what is freed of what was there is
  /// not reused, so that the file may grow.
  bool wait_for_mark = false;

  /// After a crash: what the types of blocks say cannot be a pointer keeps nothing that it happens to lead to (text,
  /// two numbers side by side), and need not be looked at. By default it may, so that what a program hides from its
  /// types, like a pointer that it copies into an array of characters, is kept. Blocks of unknown type are looked at
  /// whole.
  bool exact_mark = false;

  /// Where the address that the pool lives at is taken in this process, or is none that pools of this program have,
  /// move the pool to one that is free: every pointer in it is rewritten in the file, once. Only a pool that was closed
  /// can be moved, and only where the types of what was allocated in it tell all of its pointers; otherwise it is
  /// refused (Kind::address_taken), and so it is if this is false, or if it is opened for reading. See docs/guide.md.
  bool move_if_address_taken = true;

  /// Refuse a pool (Kind::missing_code) that names a type with virtual functions, a function or a constant that this
  /// program does not have. Otherwise who calls one ends the program, with a message; of constants there is a warning.
  /// The names are of all that the pool ever held.
  bool refuse_missing_code = false;

  /// The program knows that it is linked with a library that keeps pools in volatile memory (`…_stm`, `seq`); do not
  /// say so on standard error.
  bool accept_volatile = false;
};

/// What a pool lies on, and so what its contents survive.
enum class Medium {
  persistent_memory,  ///< every crash, power failure included (where caches or memory are flushed then: ADR, eADR)
  page_cache,         ///< every crash of the process; failures of the machine only once the pool was closed
  volatile_memory,    ///< nothing: the library keeps pools in volatile memory
  disk                ///< every crash, power failure included, by way of the log beside the file
};

/// What Pool::open found and did.
struct OpenReport {
  enum class State {
    created,     ///< the file did not exist
    clean,       ///< the last user closed it
    recovered,   ///< the last user crashed
    is_volatile  ///< the library keeps pools in volatile memory
  };
  State state = State::clean;
  Medium medium = Medium::page_cache;
  bool header_repaired = false;  ///< one of the header's two copies was damaged, and was written anew from the other
  std::uint64_t transactions_replayed = 0;     ///< committed ones found in logs and written back; on disks: records
  std::uint64_t transactions_rolled_back = 0;  ///< unfinished transactions whose changes were undone
  std::uint64_t bytes_replayed = 0;
  double milliseconds = 0;  ///< time to open, recovery and move included

  std::uint64_t moved_from = 0;               ///< address at which the pool lived before; 0: it was not moved
  std::uint64_t pointers_moved = 0;           ///< that were rewritten then, because they lead into the pool
  std::uint64_t pointers_cleared = 0;         ///< that led out of all pools and are null now
  std::uint64_t pointers_to_other_pools = 0;  ///< that were left as they are

  // What follows is known when the mark is at its end: Pool::wait_for_mark.
  bool mark_is_running = false;        ///< it worked in the background when the pool was handed over
  std::uint64_t blocks_reclaimed = 0;  ///< blocks no root reaches, and so free; some were free before the crash
  std::uint64_t bytes_marked = 0;      ///< of the blocks that a root reaches
  double mark_milliseconds = 0;        ///< time that the mark took
};

}  // namespace perdure

#endif
