#ifndef PERDURE_C_H
#define PERDURE_C_H

/// Transactions and pools for C (and for C++ that wants no exceptions). Compile with `clang -fplugin=libPerdure.so`, or
/// with `perdure-cc`; memory is allocated and freed in transactions by malloc, calloc, realloc and free.
///
/// Functions that can fail return a perdure_status, and leave a text for perdure_last_error().
#include <stddef.h>
#include <stdint.h>

#include "perdure/attributes.h"
#include "perdure/counting.h"
#include "perdure/waiting.h"

#ifdef __cplusplus
extern "C" {
#endif
// NOLINTBEGIN(modernize-use-using,readability-identifier-naming): this is C

/// Why a call failed. Negative, so that positive values are free for the bodies of transactions.
typedef enum perdure_status {
  PERDURE_OK = 0,
  PERDURE_OUT_OF_MEMORY = -1,        ///< the pool is full, or the heap
  PERDURE_FAILED = -2,               ///< something else; perdure_last_error() says what
  PERDURE_NOT_A_POOL = -10,          ///< the file is something else
  PERDURE_TRUNCATED = -11,           ///< shorter than its header says
  PERDURE_DAMAGED = -12,             ///< a checksum or a structure does not hold
  PERDURE_WRONG_VERSION = -13,       ///< made by another version of the format
  PERDURE_IN_USE = -14,              ///< open in another process, twice in this one, or in the one that forked this one
  PERDURE_ADDRESS_TAKEN = -15,       ///< the address it lives at is occupied in this process
  PERDURE_NO_PERMISSION = -16,       ///< the operating system denies access
  PERDURE_NO_SPACE = -17,            ///< disk full
  PERDURE_ROOT_TYPE_MISMATCH = -18,  ///< a root exists under this name with another type
  PERDURE_SYSTEM = -19,              ///< another error of the operating system
  PERDURE_USAGE = -20,               ///< the program's call makes no sense
  PERDURE_NO_SUCH_ROOT = -21,        ///< no root has this name
  PERDURE_ROOT_EXISTS = -22,         ///< a root has this name already
  PERDURE_POOL_MISSING = -23,  ///< a crash cut short a transaction over several pools; the deciding one is missing
  PERDURE_MISSING_CODE = -24,  ///< the program lacks a type, function or constant that the pool names
  PERDURE_NOT_DURABLE = -25,   ///< a disk has failed beneath a pool: see perdure::DurabilityError in perdure/error.h
  PERDURE_RETRIED = -26,       ///< a part of a transaction has called perdure_retry, and is undone
  PERDURE_TIMED_OUT = -27,     ///< a transaction need not wait any longer
  PERDURE_CANCELLED = -28      ///< a transaction must not wait any longer
} perdure_status;

/// What went wrong in this thread's last call that failed: what happened, to which file, and what to do next. Empty
/// when none did. Valid until the thread's next call that fails.
const char* perdure_last_error(void);

/// Runs `body(argument)` as one transaction: atomic, isolated and, with a persistent library, durable once this
/// returns.
///
/// The body must be a function that is defined in this file, and may run several times. What it changes is rolled back
/// when it returns something other than 0. In a transaction the call is part of that one: it returns what the body
/// returns, and rolls nothing back by itself.
///
/// \returns 0 once the transaction is committed; what the body returned, if that is not 0; or a perdure_status. Nothing
/// was changed then.
#ifndef __PERDURE__
__attribute__((unavailable("transactions need the Perdure compiler plugin: compile with perdure-cc, or with clang "
                           "-fplugin=libPerdure.so")))
#endif
int perdure_transaction(int (*body)(void*), void* argument);

/// Has `handler(argument)` called once, when the transaction that runs has committed and is durable: before the
/// outermost perdure_transaction returns, and outside of any transaction, so that it may do what transactions cannot.
/// Handlers run in the order in which they were registered; an attempt that is rolled back takes them with it. Outside
/// of transactions it is called at once. (See perdure/handlers.h.)
/// \returns 0, or PERDURE_OUT_OF_MEMORY.
PERDURE_PURE int perdure_on_commit(void (*handler)(void*), void* argument);

/// Has `handler(argument)` called once, if the transaction that runs is rolled back for good, because its body has
/// returned something other than 0 or it has failed, and not to try it again. Outside of transactions it is not called.
/// \returns 0, or PERDURE_OUT_OF_MEMORY.
PERDURE_PURE int perdure_on_abort(void (*handler)(void*), void* argument);

/// The same as a serial transaction (see perdure::execute_serially in perdure/transaction.h): alone, run once, and the
/// body may call whatever the plugin has never seen. In a transaction the call makes that one serial.
#ifndef __PERDURE__
__attribute__((unavailable("transactions need the Perdure compiler plugin: compile with perdure-cc, or with clang "
                           "-fplugin=libPerdure.so")))
#endif
int perdure_serial_transaction(int (*body)(void*), void* argument);

/// Makes the running transaction serial from here on; what comes before may have run before. Outside of transactions
/// it does nothing.
void perdure_become_serial(void);

#ifndef __PERDURE__
__attribute__((unavailable("transactions need the Perdure compiler plugin: compile with perdure-cc, or with clang "
                           "-fplugin=libPerdure.so")))
#endif
int perdure_nested(int (*body)(void*), void* argument);  // perdure/waiting.h

/// In a transaction: runs `first(argument)` as such a part, and `second(argument)` if that has called perdure_retry.
/// \returns what the one returned that counts.
#define perdure_or_else(first, second, argument)                               \
  __extension__({                                                              \
    const int perdure_result = perdure_nested((first), (argument));            \
    perdure_result == PERDURE_RETRIED ? (second)((argument)) : perdure_result; \
  })

/// The library this program is linked with, as `algorithm_mode` ("orec_lazy_ip").
const char* perdure_library(void);

/// An open pool: a file of persistent memory (see perdure::Pool in perdure/pool.h).
typedef struct perdure_pool perdure_pool;

/// Creates the pool if there is no such file, opens it, and recovers it if its last user crashed.
/// \param path  the file; its directory must exist.
/// \param pool  where to put the pool; null on failure.
/// \returns PERDURE_OK, or why the pool was refused; the file is then unharmed.
int perdure_pool_open(const char* path, perdure_pool** pool);

/// How a pool is opened. `perdure_open_options options = {0};` means as perdure_pool_open does; set what differs.
typedef struct perdure_open_options {
  size_t size_limit;  ///< the largest size the file may grow to, in bytes; 0: 256 GiB. See perdure/open_report.h
  size_t log_budget;  ///< bytes of records a thread may have that recovery would replay, in the mode `fast`; 0: 32 KiB
  int read_only;      ///< not 0: an existing pool is read; the file is not changed (see perdure/open_report.h)
  int accept_volatile;         ///< not 0: do not say on standard error that the library keeps pools in volatile memory
  int wait_for_mark;           ///< not 0: after a crash, return when the blocks in use have been found, not before
  int exact_mark;              ///< not 0: after a crash, words that cannot be pointers by their types keep nothing
  int refuse_to_move;          ///< not 0: if the pool's address is taken, refuse it instead of moving it to another one
  int refuse_missing_code;     ///< not 0: refuse it if it names a function, constant or type that the program lacks
  int survives_power_failure;  ///< Durability in perdure/open_report.h: 0 automatic, 1 power, -1 process
  size_t log_bytes;            ///< the size of the log that it then has beside it; 0: 64 MiB, or the limit if less
  int relaxed;                 ///< not 0: transactions return before they are durable (Acknowledgement::relaxed)
  unsigned lag_milliseconds;   ///< how much later they may be durable then; 0: 10
  size_t memory_budget;        ///< bytes of it that may be in memory because they were changed; 0: a quarter of all
  int verify_pages;            ///< not 0: read all of it first, and refuse it if the disk has damaged a page
  const char* log_folder;      ///< where its log is made; null: beside it
  int trust_network;           ///< not 0: with survives_power_failure 1, accept a network file system
  size_t copies;               ///< of what transactions write, in some modes; 0: 2, or 8. See perdure/open_report.h
} perdure_open_options;

/// perdure_pool_open with options.
/// \returns like perdure_pool_open.
int perdure_pool_open_with(const char* path, const perdure_open_options* options, perdure_pool** pool);

/// How a pool was found, and what opening it did: as perdure::OpenReport (perdure/open_report.h), in which the fields
/// are explained.
typedef struct perdure_open_report {
  int state;            ///< 0 created, 1 clean, 2 recovered, 3 volatile
  int medium;           ///< 0 persistent memory, 1 page cache, 2 volatile memory, 3 disk with a log
  int header_repaired;  ///< not 0: one of the header's two copies was damaged, and was written anew
  int mark_is_running;  ///< not 0: the mark works in the background
  uint64_t transactions_replayed;
  uint64_t transactions_rolled_back;
  uint64_t bytes_replayed;
  double milliseconds;  ///< to open, recovery and move included
  uint64_t moved_from;
  uint64_t pointers_moved;
  uint64_t pointers_cleared;
  uint64_t pointers_to_other_pools;
  uint64_t blocks_reclaimed;
  uint64_t bytes_marked;
  double mark_milliseconds;
} perdure_open_report;

/// Reports how the pool was found when it was opened.
/// \param wait_for_mark  not 0: wait for the mark after a crash; the report is then complete. Not in a transaction.
/// \param report         where to put the report.
/// \returns PERDURE_OK, or PERDURE_USAGE.
int perdure_pool_report(perdure_pool* pool, int wait_for_mark, perdure_open_report* report);

/// When commits are durable, in a pool on a disk with a log: see perdure/durability.h and perdure/pool.h, where the
/// functions have these names. None of them, but the first, may be called in a transaction.
///
/// Has the running transaction return at once (`relaxed` not 0), or when it is durable.
PERDURE_PURE void perdure_acknowledge(int relaxed);
/// A commit of this thread, of which one can ask whether it is durable.
typedef struct perdure_commit_token {
  size_t slot;
  uint64_t opening;
  uint64_t position;  ///< bytes of the pool's log
} perdure_commit_token;
perdure_commit_token perdure_last_commit(void);
/// \returns 1 when it is durable, 0 when it is not yet; PERDURE_NOT_DURABLE when the disk has failed.
int perdure_commit_is_durable(const perdure_commit_token* commit);
/// Returns when it is. \returns PERDURE_OK or PERDURE_NOT_DURABLE.
int perdure_commit_wait(const perdure_commit_token* commit);
/// Returns when all that was committed before is durable. \returns PERDURE_OK, PERDURE_NOT_DURABLE or PERDURE_USAGE.
int perdure_pool_sync(perdure_pool* pool);
/// Commits up to this position are durable.
uint64_t perdure_pool_durable_up_to(perdure_pool* pool);
/// Has `function(argument, 1)` called when all that was committed before is durable, `function(argument, 0)` when the
/// disk has failed before; once, in a thread of the pool.
/// \returns PERDURE_OK, PERDURE_OUT_OF_MEMORY or PERDURE_USAGE.
int perdure_pool_on_durable(perdure_pool* pool, void (*function)(void* argument, int is_durable), void* argument);
/// An eventfd that becomes readable when more is durable, -1 where there is no log. The pool closes it.
int perdure_pool_durable_event(perdure_pool* pool);

/// Closes the pool: everything committed is in the file. No transaction may be running, and pointers into the pool are
/// dead afterwards, `pool` itself too. Null is allowed.
/// \returns PERDURE_OK; PERDURE_SYSTEM or PERDURE_NO_SPACE when the disk fails: the next open then recovers the pool.
int perdure_pool_close(perdure_pool* pool);

/// From now on, transactions of this thread allocate in `pool`, whichever others are open; with null again in the one
/// that was opened first. Not to be called in a transaction; another pool, or null, before this one is closed.
/// \returns PERDURE_USAGE for a pool that is open for reading.
int perdure_pool_choose(perdure_pool* pool);

/// The object named `name`, made of zeros on first use. `perdure_root` fills in what describes the type.
/// \param type  the type's name; `struct` and the like before it do not count, so that C and C++ agree.
/// \param size, alignment  of the type, in bytes.
/// \param root  a pointer to where to put the object's address.
/// \returns PERDURE_ROOT_TYPE_MISMATCH; PERDURE_USAGE for a name that is empty or longer than 63 characters, or when
/// all 255 roots are taken; PERDURE_OUT_OF_MEMORY; PERDURE_NO_SUCH_ROOT in a pool that is open for reading.
int perdure_pool_root(perdure_pool* pool, const char* name, const char* type, size_t size, size_t alignment,
                      void** root);

/// A root, as perdure_pool_list_roots finds it.
typedef struct perdure_root_info {
  char name[64];
  char type[152];    ///< cut when longer
  size_t size;       ///< of the type, in bytes
  size_t alignment;  ///< of the type, in bytes
} perdure_root_info;

/// The roots as of one moment. Not to be called in a transaction.
/// \param roots     where to put them, at most `capacity`; may be null when that is 0.
/// \param count     where to put how many there are, which may be more than `capacity`. A pool has at most 255.
int perdure_pool_list_roots(perdure_pool* pool, perdure_root_info* roots, size_t capacity, size_t* count);

/// Gives the root `from` the name `to`, atomically: after a crash it has the one or the other.
/// \returns PERDURE_NO_SUCH_ROOT; PERDURE_ROOT_EXISTS when another root is named `to`.
int perdure_pool_rename_root(perdure_pool* pool, const char* from, const char* to);

/// Removes the root and frees its object, atomically. Free first, in a transaction, what the object leads to: it stays
/// allocated otherwise, until a recovery finds that nothing leads to it.
/// \returns PERDURE_NO_SUCH_ROOT.
int perdure_pool_remove_root(perdure_pool* pool, const char* name);

// NOLINTEND(modernize-use-using,readability-identifier-naming)
#ifdef __cplusplus
}
#define PERDURE_ALIGNMENT_OF(type) alignof(type)
#else
#define PERDURE_ALIGNMENT_OF(type) _Alignof(type)
#endif

/// `struct list* list; perdure_root(pool, "list", struct list, &list);`
#define perdure_root(pool, name, type, root) \
  perdure_pool_root((pool), (name), #type, sizeof(type), PERDURE_ALIGNMENT_OF(type), (void**)(1 ? (root) : (type**)0))

#endif
