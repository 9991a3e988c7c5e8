#ifndef PERDURE_ABI_ENTRY_POINTS_H
#define PERDURE_ABI_ENTRY_POINTS_H

#include <cstddef>
#include <cstdint>

/// The functions that the plugin emits calls to. They are the whole of what the plugin knows of the runtime; see
/// docs/abi.md. All may leave by a non-local jump (abort) instead of returning; those that allocate may also throw.
namespace perdure::alloc {
struct BlockLayout;
}

extern "C" {

#define PERDURE_TYPE(suffix, type)                 \
  type perdure_read_##suffix(type const* address); \
  void perdure_write_##suffix(type* address, type value);
#include "abi/types.def"

/// Copies `size` bytes from shared memory to `to`, which is private to the transaction (its own stack frame).
void perdure_read_bytes(void* to, const void* from, std::size_t size);
/// Copies `size` bytes from `from`, private to the transaction or constant, to shared memory.
void perdure_write_bytes(void* to, const void* from, std::size_t size);

/// memcpy, memmove and memset where either side may be shared.
void* perdure_memcpy(void* to, const void* from, std::size_t size);
void* perdure_memmove(void* to, const void* from, std::size_t size);
void* perdure_memset(void* to, int byte, std::size_t size);

/// A row of the table from functions to their clones, for calls through pointers. Every file with clones brings rows.
struct PerdureClone {
  void* function;
  void* clone;          ///< null: there is none
  const char* refusal;  ///< why there is none; null otherwise
};

/// Adds rows to the table when a program or shared library is loaded, and takes them out when it is unloaded.
void perdure_add_clones(const PerdureClone* rows, std::size_t count);
void perdure_remove_clones(const PerdureClone* rows, std::size_t count);

/// The same for the functions that have no clone there, with those that serial transactions call.
void perdure_add_serial_clones(const PerdureClone* rows, std::size_t count);
void perdure_remove_serial_clones(const PerdureClone* rows, std::size_t count);

/// The clone of a function that a transaction calls through a pointer; `call` is the place of the call, for the message
/// that the program ends with when there is no clone. In a serial transaction that is the function itself.
void* perdure_clone_of(void* function, const char* call);

/// Of the two flavours of a clone, or of a file's rows of the table, the one that this library takes. The write-only
/// one reads memory by plain loads. Only files that were compiled with -fplugin-arg-perdure-write-only have both.
const void* perdure_choose_flavour(const void* full, const void* write_only);

/// In files that were compiled with -fplugin-arg-perdure-self-relative: what a pointer that lies at `place`, and leads
/// to `value`, is stored as, and back. In a pool that is the distance; null stays null, elsewhere nothing changes.
void* perdure_encode_pointer(void* value, void* place);
void* perdure_decode_pointer(void* stored, void* place);

/// Called when such a file is loaded. Ends the program in a durable library, whose recovery could not follow pointers.
void perdure_use_self_relative_pointers();

/// The transaction has allocated `block` and writes to it without calling an entry point, as long as nobody else can
/// reach it: it is to be flushed at commit. Null is allowed.
void perdure_written_directly(void* block);

/// What the next block holds that this thread allocates, in a transaction or by perdure_allocate_in. The layout stays
/// where it is, and the runtime writes to its first word. Without a call since the last allocation it is unknown.
void perdure_set_block_layout(perdure::alloc::BlockLayout* layout);

/// The transaction is about to write directly to the local of `size` bytes, which belongs to the function that runs it
/// and which no other thread can reach: an abort is to bring back what it holds now.
void perdure_save_local(void* local, std::size_t size);

/// __cxa_guard_acquire, release and abort, around the initialisation of a static local variable that a transaction
/// comes upon. The initialiser runs as it would outside of the transaction. `acquire` aborts when another thread is at
/// it.
int perdure_guard_acquire(std::uint64_t* guard);
void perdure_guard_release(std::uint64_t* guard);
void perdure_guard_abort(std::uint64_t* guard);

/// What files call outside of transactions for free, realloc, reallocarray and malloc_usable_size: memory of pools is
/// taken as well. What realloc makes of it lies in the heap.
void perdure_free(void* block);
void* perdure_realloc(void* block, std::size_t bytes);
void* perdure_reallocarray(void* block, std::size_t count, std::size_t bytes);
std::size_t perdure_malloc_usable_size(void* block);

/// In files that were compiled with -fplugin-arg-perdure-checked, before what the program does. `place` is where it
/// does it ("bank.cc:12:3, in 'deposit(Bank&)'"). A mistake is reported, and ends the program unless the user wants to
/// go on.
///
/// The program reads or writes these bytes: they must not lie in a pool that is closed, nor beyond a pool's end.
void perdure_check_access(const void* address, std::size_t size, const char* place);
/// It stores a pointer: in a pool, it must lead into a pool. In a transaction that counts which is there at the end.
void perdure_check_pointer(void* address, const void* value, const char* place);
/// It stores a word that may be a pointer; or a function or a copy may store one at `from` that leads to `to`, or to
/// where that leads. Of new blocks, this tells which the pool will reach.
void perdure_check_word(void* address, std::uint64_t value);
void perdure_check_linked(const void* from, const void* to);
/// It frees a block. \returns the block, or null when it must not be freed.
void* perdure_check_free(void* block, const char* place);
/// In place of perdure_run and perdure_transaction: what can be told at the end of a transaction only.
void perdure_run_checked(void (*body)(void*), void* closure);
int perdure_transaction_checked(int (*body)(void*), void* argument);
void perdure_run_serial_checked(void (*body)(void*), void* closure);
int perdure_serial_transaction_checked(int (*body)(void*), void* argument);

/// Runs a transaction (see perdure/transaction.h). In a transactional clone the plugin replaces a call to it by a
/// direct call to the body's clone: nesting is flat.
void perdure_run(void (*body)(void*), void* closure);
/// The same for a serial transaction; and what makes the one that runs serial.
void perdure_run_serial(void (*body)(void*), void* closure);
void perdure_become_serial(void);
}

#endif
