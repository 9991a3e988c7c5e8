#ifndef PERDURE_DURABILITY_H
#define PERDURE_DURABILITY_H

#include <cstddef>
#include <cstdint>

#include "perdure/attributes.h"
#include "perdure/open_report.h"

extern "C" {
/// As perdure::acknowledge. \param relaxed  not 0: return at once.
PERDURE_PURE void perdure_acknowledge(int relaxed);
}

namespace perdure {

/// Has the running transaction return as said here, whatever its pools say (OpenOptions::acknowledgement). For one that
/// may be lost in a power failure, in a pool that is `sync`; or for one that must not be, in a pool that is `relaxed`:
/// then everything before it is durable, too. Of several calls the last counts. Outside of transactions, and in
/// libraries without logs on disks, it does nothing.
inline void acknowledge(Acknowledgement how) { perdure_acknowledge(how == Acknowledgement::relaxed ? 1 : 0); }

/// A commit, of which one can ask whether it is durable. Where no log makes it so (persistent memory, tmpfs,
/// Durability::process), it is as durable as it will be when the transaction returns.
class CommitToken {
 public:
  /// Of no commit: nothing waits for it.
  CommitToken() = default;

  /// Whether a power failure cannot take it any more. Not to be called in a transaction.
  /// \throws DurabilityError when the disk has failed: whether it counts will be known when the pool is opened again.
  bool durable() const;
  /// Returns when it is. If nobody else writes the log, this thread does. Not to be called in a transaction.
  /// \throws DurabilityError like `durable`.
  void wait() const;

  /// Commits to one pool, since it was opened: a later one has a greater number, or the same. Bytes of its log.
  std::uint64_t position() const noexcept { return position_; }

 private:
  friend CommitToken last_commit();

  std::size_t slot_ = 0;
  std::uint64_t opening_ = 0;
  std::uint64_t position_ = 0;
};

/// The last transaction that this thread has committed, with everything that it has seen: when the token is durable,
/// so is that. Where it wrote to several pools it was durable at once, and the token says so of one of them. Of one
/// that wrote nothing, the token is about one pool on a disk that is open. A token may be given to other threads, and
/// outlive its pool.
CommitToken last_commit();

}  // namespace perdure

#endif
