#ifndef PERDURE_TX_BLOCK_SOURCE_H
#define PERDURE_TX_BLOCK_SOURCE_H

#include <cstddef>
#include <cstdint>

#include "abi/block_layout.h"
#include "alloc/thread_cache.h"
#include "pool/format.h"

namespace perdure::tx {

/// From the current pool, or from the heap when none is open. Not transactional.
/// \param layout  of what the block will hold; null if that is unknown.
/// \returns null when there is no room.
void* allocate_block(std::size_t bytes, std::size_t alignment, alloc::BlockLayout* layout);

/// Frees at once a block of a pool or of the heap; its address tells which.
void free_block(void* block);

/// What a block of a pool holds; null if that is unknown.
alloc::BlockLayout* layout_of_block(const void* block);

/// How many bytes of the block may be used.
std::size_t usable_block_size(void* block);

/// Among all superblocks that can be, of all pools.
inline std::uintptr_t superblock_of(const void* block) {
  return reinterpret_cast<std::uintptr_t>(block) / pool::superblock_bytes;
}

/// Frees blocks one after the other as `free_block` does. Many have a neighbour before them: what is alike for the
/// blocks of a superblock is looked up once. It stays so because the block that comes next is in use until then, so its
/// superblock serves the same bin.
class BlockReturn {
 public:
  void operator()(void* block) {
    if (superblock_of(block) == superblock_ && !stack_->is_full()) [[likely]]
      return stack_->push(block);
    begin_superblock(block);
  }

 private:
  void begin_superblock(void* block);

  std::uintptr_t superblock_ = 0;
  alloc::BlockStack* stack_ = nullptr;  // of the thread, for the bin of the superblock
};

/// The usable sizes of blocks that are in use, one after the other; as above.
class BlockSizes {
 public:
  std::size_t operator()(void* block) {
    const std::uintptr_t superblock = superblock_of(block);
    // Blocks of the heap lie anywhere.
    if (superblock != superblock_ || !pool::in_window(block)) bytes_ = usable_block_size(block);
    superblock_ = superblock;
    return bytes_;
  }

 private:
  std::uintptr_t superblock_ = 0;
  std::size_t bytes_ = 0;
};

}  // namespace perdure::tx

#endif
