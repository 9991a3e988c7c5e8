#ifndef PERDURE_POOL_FORK_H
#define PERDURE_POOL_FORK_H

#include <atomic>
#include <filesystem>

/// What becomes of open pools when the process forks: they stay the parent's.
///
/// The child has the addresses, but neither the memory (MADV_DONTFORK) nor the files, which are closed in it at once:
/// otherwise it would keep their locks when the parent dies. It can use no pool at all, not even one of its own: what
/// it has inherited of heaps and logs is about threads that it does not have, some of which may have held locks. A
/// program that it executes starts anew. Transactions on other memory work (tx/thread_context.h); one that comes to
/// memory of a pool is rolled back, and told. Nothing of this costs other processes anything: in such a child each
/// access to a pool faults, or finds that no pool is open, and each transaction begins like a thread's first.
namespace perdure::pool {

namespace detail {
inline constinit std::atomic<bool> is_forked_child{false};
}

/// Whether this process was forked while pools were open.
inline bool is_forked_child() noexcept {
  // Relaxed: set when the process has one thread only.
  return detail::is_forked_child.load(std::memory_order_relaxed);
}

/// Throws PoolError (Kind::in_use), which says from which process this one was forked.
/// \param path  the pool that is asked for; empty: one of the parent's.
[[noreturn]] void refuse_in_forked_child(std::filesystem::path path = {});

/// The file of an open pool: from now on children that are forked are such children, and lose it.
void keep_from_children(int descriptor, const std::filesystem::path& path);
/// It is about to be closed.
void no_longer_keep_from_children(int descriptor);

/// Has `function` called in every such child when a thread comes to memory of a pool. Where it can, it does not return,
/// but leaves the transaction that the thread runs.
void when_child_uses_pool(void (*function)());

/// Calls that function. If it returns, ends the program.
[[noreturn]] void stop_at_pool_of_parent();

/// Has `function` called in every such child, in the thread that forked.
void add_fork_hook(void (*function)());

}  // namespace perdure::pool

#endif
