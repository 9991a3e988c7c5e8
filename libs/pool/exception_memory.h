#ifndef PERDURE_POOL_EXCEPTION_MEMORY_H
#define PERDURE_POOL_EXCEPTION_MEMORY_H

#include <atomic>
#include <cstddef>
#include <functional>
#include <span>

/// Blocks of pools that exceptions own which have left a transaction (tx/exception_blocks.h). They are blocks of the
/// pool until that is closed, which an exception may well outlive: `try { Pool pool = …; … } catch (const E& e) { … }`.
/// From then on other memory is at their addresses, and holds the same. Thread-safe.
namespace perdure::pool::exception_memory {

/// How many blocks there are. Who frees a block says so, unless there are none. Relaxed: who frees one that an
/// exception owns has the exception, and so comes after `add`.
inline constinit std::atomic<std::size_t> count{0};

/// An exception owns the block now.
void add(void* block, std::size_t bytes);
/// A transaction is about to free the block, which need not be one of these. \returns whether a pool has it to free.
bool remove(void* block);
/// The same outside of transactions. \returns whether it is freed by that: its pool has been closed.
bool free_settled(void* block);

/// A pool is about to be closed: gives up what lies in its slots. \param end  frees a block, whose contents it may
/// change for the time after that.
void leave_pool(const std::byte* begin, std::size_t bytes,
                const std::function<void(void* block, std::span<std::byte> contents)>& end);
/// Nothing is mapped there any more: what was given up gets other memory.
void settle(const std::byte* begin, std::size_t bytes);
/// The slots are about to be taken by another pool: that memory goes.
void vacate(const std::byte* begin, std::size_t bytes);

}  // namespace perdure::pool::exception_memory

#endif
