#ifndef PERDURE_RELOCATE_RELOCATION_H
#define PERDURE_RELOCATE_RELOCATION_H

#include <cstdint>
#include <filesystem>
#include <optional>

/// Moving a pool to another address: every pointer in it is found and rewritten in the file. Where they are is known
/// from the types of what was allocated (abi/block_layout.h), so none is guessed; what the types do not tell is asked
/// for, and unless that is answered nothing is changed. May be cut short by a crash at any point and is then completed
/// (docs/pool-format.md).
namespace perdure::relocate {

/// What becomes of words that hold an address of a block in use, where nothing says whether they are pointers: integers
/// as large as a pointer, unions, blocks whose type is not known.
enum class UnsureWords : std::uint8_t {
  refuse,  ///< the pool is not moved
  keep,    ///< they are no pointers
  move     ///< they are pointers
};

struct RelocationOptions {
  std::optional<std::size_t> slot = std::nullopt;  ///< where to; otherwise to one that is free in this process
  UnsureWords unsure = UnsureWords::refuse;
};

struct RelocationReport {
  std::uint64_t from = 0;                     ///< address; the same as `to` when there was nothing to do
  std::uint64_t to = 0;                       ///< address
  bool completed = false;                     ///< the move that a crash had cut short: the rest is of what was left
  std::uint64_t pointers_moved = 0;           ///< that lead into the pool
  std::uint64_t pointers_cleared = 0;         ///< that led out of all pools and are null now
  std::uint64_t pointers_to_other_pools = 0;  ///< that lead to slots of other pools, and stay
  double milliseconds = 0;
};

/// Moves the pool, which must have been closed, or completes its move.
/// \throws PoolError, see Pool::open; Kind::address_taken when it cannot be moved: it was not closed, the address that
/// was asked for is not suitable, no slot is free, or there are unsure words. The file is then as it was.
RelocationReport relocate(const std::filesystem::path& path, const RelocationOptions& options = {});

}  // namespace perdure::relocate

#endif
