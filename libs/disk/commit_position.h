#ifndef PERDURE_DISK_COMMIT_POSITION_H
#define PERDURE_DISK_COMMIT_POSITION_H

#include <cstddef>
#include <cstdint>

namespace perdure::disk {

/// Where a commit is in the log of a pool: what becomes durable is a prefix of that.
struct CommitPosition {
  std::size_t slot = 0;
  std::uint64_t opening = 0;  ///< number of the log, of all that this process opens; 0: there was none
  std::uint64_t position = 0;
};

/// Whether the commit is durable. Of a pool that was closed, everything is. \throws DurabilityError when it will not
/// be.
bool is_durable(const CommitPosition& commit);
/// Returns when it is. \throws DurabilityError
void await_durable(const CommitPosition& commit);

/// That of this thread's last transaction, or of what that has read.
const CommitPosition& last_commit() noexcept;

/// How transactions return, and how late they may be durable otherwise.
enum class Acknowledgement : std::uint8_t { as_the_pool, synchronous, relaxed };

/// For the transaction that runs in this thread, in place of what its pools say.
void acknowledge(Acknowledgement how) noexcept;

}  // namespace perdure::disk

#endif
