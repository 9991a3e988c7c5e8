#ifndef PERDURE_POOL_H
#define PERDURE_POOL_H

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <string_view>
#include <utility>
#include <vector>

#include "perdure/error.h"
#include "perdure/open_report.h"
#include "perdure/roots.h"

namespace perdure {

namespace opening {
class OpenPool;
}

/// A file of persistent memory, mapped at a fixed address. While it is open, memory that transactions allocate comes
/// from it, and what the roots reach survives a crash of the process at any instruction (and of the machine, where the
/// medium is persistent memory: see README).
class Pool {
 public:
  /// Creates the pool if there is no such file, opens it, and recovers it if its last user crashed. A forked child may
  /// not use the pools of its parent: they are refused there, and closing them does nothing. A pool that another
  /// process uses is refused after a second: one that was killed takes a while to end.
  ///
  /// Where the crash cut short a transaction over several pools, one of them says whether it counts. That one is open
  /// in this process, or is looked for where it was, and by any name in the folder of this pool and where it was; its
  /// file is only read. If it cannot be found the pool is refused (Kind::pool_missing): it may be opened as soon as the
  /// other one is there again.
  /// \param path  the file; its directory must exist.
  /// \param options  see OpenOptions.
  /// \throws PoolError, which names the file and the remedy; the file is then unharmed.
  static Pool open(const std::filesystem::path& path, const OpenOptions& options = {});

  Pool(Pool&&) noexcept;
  Pool& operator=(Pool&&) noexcept;
  ~Pool();  ///< closes the pool

  /// Closes the pool: everything committed is in the file, and the next open needs no recovery. No transaction may be
  /// running, and pointers into the pool are dead afterwards. Closing twice does nothing.
  /// \throws PoolError when the disk fails; the pool is then no longer open, and the next open recovers it.
  void close();

  /// The object named `name`, made by `new T()` in a transaction on first use.
  /// \param name  1 to roots::max_name_length characters.
  /// \throws PoolError (Kind::root_type_mismatch) if the root was made with another type (size, alignment or name);
  /// (Kind::usage) when the name is empty or too long, or all roots are taken; (Kind::no_such_root) if it would have to
  /// be made in a pool that is open for reading; `std::bad_alloc` when the pool is full.
  template <class T>
  T& root(std::string_view name) {
    return roots::find_or_make<T>(root_table(), name);
  }

  /// The object named `name`; null when there is none.
  /// \throws PoolError (Kind::root_type_mismatch, Kind::usage) like `root`.
  template <class T>
  T* find_root(std::string_view name) {
    return roots::find<T>(root_table(), name);
  }

  /// Removes the root `name` and destroys its object by `delete`, in one transaction: after a crash both are there, or
  /// neither. The name is free again.
  /// \returns false when there is no such root.
  /// \throws PoolError (Kind::root_type_mismatch, Kind::usage) like `root`.
  template <class T>
  bool remove_root(std::string_view name) {
    return roots::remove<T>(root_table(), name);
  }

  /// The same for a root whose type this program does not know: its block is freed and no destructor runs. What only
  /// that object led to stays allocated until a recovery finds that nothing leads to it.
  /// \returns false when there is no such root.
  bool drop_root(std::string_view name) { return roots::drop(root_table(), name); }

  /// Gives the root `from` the name `to`, atomically: after a crash it has the one or the other. The object stays
  /// where it is.
  /// \throws PoolError: Kind::no_such_root; Kind::root_exists when another root is named `to`; Kind::usage when `to`
  /// cannot name a root.
  void rename_root(std::string_view from, std::string_view to) { roots::rename(root_table(), from, to); }

  /// All roots, as of one moment, in no particular order. Not to be called in a transaction.
  /// \throws PoolError (Kind::usage) once the pool is closed.
  std::vector<roots::RootInfo> list_roots() const { return roots::list(root_table()); }

  /// As of when the pool was handed over, or of the last call of wait_for_mark.
  const OpenReport& report() const noexcept { return report_; }

  /// After a crash: waits until the blocks in use have been found, and those that no root reaches are free. Allocation
  /// waits by itself where there is no room before. Not to be called in a transaction.
  /// \returns the report, which is then complete.
  const OpenReport& wait_for_mark();

  // -- when commits are durable, in a pool on a disk with a log (perdure/durability.h). Elsewhere everything is, as far
  // as it will be. Not to be called in transactions.

  /// Returns when all that was committed before the call is durable. \throws DurabilityError when the disk has failed;
  /// PoolError (Kind::usage) once the pool is closed, like all of these.
  void sync();

  /// Commits with a position up to this one (CommitToken::position) are durable; bytes of the log.
  std::uint64_t durable_up_to() const;

  /// Has `function(true)` called once, when all that was committed before this call is durable; `function(false)` when
  /// the disk has failed before. In a thread of the pool, soon; it must not throw, nor close the pool.
  template <class Function>
  void on_durable(Function function) {
    auto copy = std::make_unique<Function>(std::move(function));
    call_when_durable(
        [](void* given, bool is_durable) {
          const std::unique_ptr<Function> called(static_cast<Function*>(given));
          (*called)(is_durable);
        },
        copy.get());
    [[maybe_unused]] const auto given = copy.release();
  }

  /// A descriptor for event loops (eventfd(2), not blocking), which becomes readable whenever more has become durable.
  /// Read it, then ask `durable_up_to`. The pool closes it. \returns -1 where there is no log.
  int durable_event();

  /// The file, as it was given to `open`.
  const std::filesystem::path& path() const noexcept { return path_; }

 private:
  friend class PoolScope;
  template <class T>
  friend T& persist(Pool& pool, std::string_view name, const T& object);

  explicit Pool(std::unique_ptr<opening::OpenPool>);
  /// \throws PoolError (Kind::usage) once the pool is closed.
  roots::RootTable& root_table() const;
  opening::OpenPool& open_pool() const;
  void call_when_durable(void (*function)(void*, bool), void* argument);

  std::unique_ptr<opening::OpenPool> pool_;  // null once closed
  std::filesystem::path path_;
  OpenReport report_;
};

/// While it lives, transactions of this thread allocate in one pool, whichever others are open: `new`, malloc, and what
/// containers take. Scopes nest. Made outside of transactions, and gone before its pool is closed.
class PoolScope {
 public:
  /// \throws PoolError (Kind::usage) once the pool is closed.
  explicit PoolScope(const Pool& pool) : scope_(pool.root_table()) {}
  PoolScope(const PoolScope&) = delete;
  PoolScope& operator=(const PoolScope&) = delete;

 private:
  roots::detail::AllocationScope scope_;
};

}  // namespace perdure

#endif
