#ifndef PERDURE_COMPACTION_COMPACTION_H
#define PERDURE_COMPACTION_COMPACTION_H

#include <cstdint>

#include "open/open_pool.h"

/// Moving small blocks together: out of superblocks that are thinly used, into others of the same size class and layout
/// that have room, so that whole superblocks become free. Pointers are found exactly, as when a pool is relocated, and
/// all that lead to a block that was moved are rewritten in the transaction that frees the old blocks. So a crash
/// leaves all or nothing.
namespace perdure::compaction {

struct CompactionReport {
  std::uint64_t blocks_moved = 0;
  std::uint64_t pointers_rewritten = 0;  ///< roots included
  std::uint64_t blocks_pinned = 0;       ///< small ones that must stay, because it cannot be told what leads to them
  std::uint64_t superblocks_freed = 0;
  double milliseconds = 0;
};

/// Nobody else uses the pool, and no transaction runs in any other. Afterwards addresses of objects are not what they
/// were: roots must be looked up again. What the layouts cannot tell is rewritten by nobody: pointers in other pools,
/// offsets and differences between blocks, and whatever depends on the order or the values of addresses (a
/// `std::set<T*>`, a hash of a pointer).
///
/// Needs volatile memory for each pointer that is rewritten and each block that is moved, and room in the pool for the
/// log of one transaction that writes these pointers. Where there is none for all, bin by bin.
/// \throws PoolError (Kind::no_space) when there is no room for the log of one bin: of that and those after it nothing
/// has been moved; Kind::usage when the pool is open for reading.
CompactionReport compact(opening::OpenPool& pool);

}  // namespace perdure::compaction

#endif
