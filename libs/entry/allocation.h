#ifndef PERDURE_ENTRY_ALLOCATION_H
#define PERDURE_ENTRY_ALLOCATION_H

#include <cstddef>

namespace perdure::tx {
class ExceptionState;
class Handlers;
}  // namespace perdure::tx

/// What the provided clones (libs/provided) need of the calling thread's transaction, whatever its type. Each
/// library defines them (algorithms/instance.cc).
namespace perdure::entry {

/// \returns null when there is no room.
void* transactional_allocate(std::size_t bytes, std::size_t alignment);

/// How many bytes of a block may be used.
std::size_t transactional_size(void* block);

/// The same; the transaction may use all of them, also behind what was asked for.
std::size_t use_whole_block(void* block);

/// Takes effect at commit. Null is allowed.
void transactional_free(void* block);

/// Frees a block of a pool in a transaction of its own, or as part of the one that runs.
void free_from_pool(void* block);

/// Calls `function(block, bytes, context)` for each block that the transaction has allocated, or freed, so far.
using BlockFunction = void (*)(void* block, std::size_t bytes, void* context);
void for_each_allocated(BlockFunction function, void* context);
void for_each_freed(BlockFunction function, void* context);

tx::ExceptionState& transactional_exceptions();
tx::Handlers& transactional_handlers();

/// Whether what lies there is gone when the transaction aborts: in its own frames, or in an exception that it made.
bool dies_with_transaction(const void* address);

/// A function that is not instrumented is about to change the object. \param place  of the call.
void note_other_change(const void* object, const char* place);

/// Code of the program is being unloaded, which nobody calls any more. Nor does this library, when it returns.
void forget_unloaded_code();

bool is_in_transaction();
/// Whether another thread may run a block that perdure_run_operation is given.
extern const bool runs_for_others;
/// Whether it is alone, and will not be rolled back by a conflict.
bool is_in_serial_transaction();

/// Does nothing; a reference to it brings the global operators new and delete (entry/operators.cc) into the program.
void link_operators();

}  // namespace perdure::entry

#endif
