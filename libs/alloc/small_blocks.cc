#include "alloc/small_blocks.h"

#include <algorithm>
#include <bit>
#include <cstdio>
#include <cstdlib>

namespace perdure::alloc {
namespace {

constexpr std::uint64_t bit(std::uint32_t block) { return std::uint64_t{1} << (block % 64); }

}  // namespace

void stop_at_bad_free(const void* block) {
  std::fprintf(stderr, "perdure: %p is freed, but no block of the pool begins there. Free what was allocated, once.\n",
               block);
  std::abort();
}

void stop_at_double_free(const void* block) {
  std::fprintf(stderr, "perdure: the block at %p was freed twice. Find the second delete of it.\n", block);
  std::abort();
}

SmallBlocks::SmallBlocks(Superblocks& superblocks) : superblocks_(superblocks) {}

void SmallBlocks::make_all_free(std::uint64_t superblock) noexcept {
  BlockBitmap& bitmap = bitmaps_[superblock];
  std::uint32_t left = blocks_in_superblock(class_of(superblocks_.use(superblock)));
  bitmap.free = left;
  for (std::uint64_t& word : bitmap.words) {
    word = left >= 64 ? ~std::uint64_t{0} : (std::uint64_t{1} << left) - 1;
    left -= std::min(left, 64U);
  }
}

void SmallBlocks::set_free(std::uint64_t superblock, std::span<const std::uint64_t> words) noexcept {
  BlockBitmap& bitmap = bitmaps_[superblock];
  make_all_free(superblock);
  // Bits beyond the last block stay as they are: not free.
  for (std::size_t i = 0; i < bitmap.words.size(); ++i) bitmap.words[i] &= i < words.size() ? words[i] : 0;
}

void SmallBlocks::finish_rebuild() noexcept {
  for (std::uint64_t number = pool::first_superblock; number < superblocks_.count(); ++number)
    if (is_small(superblocks_.use(number))) hand_out(number);
}

std::uint64_t SmallBlocks::hand_out(std::uint64_t superblock) noexcept {
  const std::size_t size_class = class_of(superblocks_.use(superblock));
  BlockBitmap& bitmap = bitmaps_[superblock];
  std::uint32_t free = 0;
  for (const std::uint64_t word : bitmap.words) free += static_cast<std::uint32_t>(std::popcount(word));
  if (free == 0 && bitmap.free == 0) return 0;  // not written: its memory need not even be there
  bitmap.free = free;
  if (bitmap.free == blocks_in_superblock(size_class))
    superblocks_.release_small(superblock);
  else if (bitmap.free != 0)
    link(list_of(superblock), static_cast<std::uint32_t>(superblock));
  return free;  // not from the bitmap: once it is released, the superblock may be another bin's
}

std::size_t SmallBlocks::take(Bin bin, std::span<void*> blocks) noexcept {
  List& list = list_of(bin);
  const std::lock_guard lock(list.mutex);
  std::size_t taken = 0;
  while (taken < blocks.size()) {
    // Grow only for the block that is wanted at once: what only fills a cache can wait.
    if (list.first == 0 && (taken != 0 || !add_superblock(bin))) break;
    take_from(list.first, bin, blocks, taken);
  }
  return taken;
}

bool SmallBlocks::add_superblock(Bin bin) noexcept {
  const auto number = superblocks_.take_small(bin);
  if (!number) return false;
  make_all_free(*number);
  link(list_of(bin), static_cast<std::uint32_t>(*number));
  return true;
}

void SmallBlocks::take_from(std::uint32_t superblock, Bin bin, std::span<void*> blocks, std::size_t& taken) noexcept {
  const std::size_t size = class_bytes[class_of(bin)];
  List& list = list_of(bin);
  BlockBitmap& bitmap = bitmaps_[superblock];
  if (list.empty == superblock) list.empty = 0;
  std::byte* const base = superblocks_.address(superblock);
  for (std::size_t i = 0; i < bitmap.words.size() && taken < blocks.size(); ++i) {
    while (bitmap.words[i] != 0 && taken < blocks.size()) {
      const auto block = i * 64 + static_cast<std::size_t>(std::countr_zero(bitmap.words[i]));
      bitmap.words[i] &= bitmap.words[i] - 1;
      blocks[taken++] = base + block * size;
      --bitmap.free;
    }
  }
  if (bitmap.free == 0) unlink(list, superblock);
}

bool SmallBlocks::claim(Bin bin, Claim& claim) noexcept {
  List& list = list_of(bin);
  const std::lock_guard lock(list.mutex);
  if (list.first == 0 && !add_superblock(bin)) return false;
  const std::uint32_t superblock = list.first;
  BlockBitmap& bitmap = bitmaps_[superblock];
  claim = {superblock, 0, superblocks_.address(superblock), bitmap.words};
  bitmap.words.fill(0);
  bitmap.free = 0;
  if (list.empty == superblock) list.empty = 0;
  unlink(list, superblock);
  return true;
}

void SmallBlocks::take_this(std::uint64_t superblock, std::uint32_t block) noexcept {
  List& list = list_of(superblock);
  const std::lock_guard lock(list.mutex);
  BlockBitmap& bitmap = bitmaps_[superblock];
  if (list.empty == superblock) list.empty = 0;
  bitmap.words[block / 64] &= ~bit(block);
  if (--bitmap.free == 0) unlink(list, static_cast<std::uint32_t>(superblock));
}

void SmallBlocks::give_back(Bin bin, std::span<void* const> blocks) noexcept {
  const std::lock_guard lock(list_of(bin).mutex);
  while (!blocks.empty()) blocks = blocks.subspan(give_back_some(bin, blocks));
}

void SmallBlocks::give_back(Bin bin, Claim& claim) noexcept {
  if (claim.superblock == 0) return;
  List& list = list_of(bin);
  const std::lock_guard lock(list.mutex);
  std::uint32_t count = 0;
  for (std::size_t i = claim.first; i < claim.words.size(); ++i) {
    count += static_cast<std::uint32_t>(std::popcount(claim.words[i]));
    bitmaps_[claim.superblock].words[i] |= claim.words[i];
  }
  if (count != 0) note_freed(list, bin, claim.superblock, count);
  claim.superblock = 0;
}

void SmallBlocks::release_empty(LayoutNumber layouts) noexcept {
  for (LayoutNumber layout = 0; layout < layouts; ++layout)
    for (std::size_t size_class = 0; size_class < class_count; ++size_class) {
      List& list = list_of(bin_of(size_class, layout));
      const std::lock_guard lock(list.mutex);
      if (list.empty != 0) release(list, list.empty);
    }
}

std::size_t SmallBlocks::give_back_some(Bin bin, std::span<void* const> blocks) noexcept {
  const std::size_t size_class = class_of(bin);
  List& list = list_of(bin);
  const auto superblock = static_cast<std::uint32_t>(superblocks_.number_of(blocks.front()));
  const std::byte* const base = superblocks_.address(superblock);
  BlockBitmap& bitmap = bitmaps_[superblock];
  std::size_t count = 0;
  for (void* const address : blocks) {
    const auto offset = static_cast<std::size_t>(static_cast<std::byte*>(address) - base);
    if (offset >= pool::superblock_bytes) break;
    const std::uint32_t block = block_at(size_class, offset);
    std::uint64_t& word = bitmap.words[block / 64];
    if ((word & bit(block)) != 0) stop_at_double_free(address);
    word |= bit(block);
    ++count;
  }
  note_freed(list, bin, superblock, static_cast<std::uint32_t>(count));
  return count;
}

void SmallBlocks::note_freed(List& list, Bin bin, std::uint32_t superblock, std::uint32_t count) noexcept {
  BlockBitmap& bitmap = bitmaps_[superblock];
  bitmap.free += count;
  if (!bitmap.listed) link(list, superblock);
  if (bitmap.free != blocks_in_superblock(class_of(bin))) return;
  // One empty superblock stays with its bin: giving it back and taking it again at every turn would cost a fence each.
  const bool has_others = bitmap.next != 0 || bitmap.previous != 0;
  if (has_others)
    release(list, superblock);
  else
    list.empty = superblock;
}

void SmallBlocks::release(List& list, std::uint32_t superblock) noexcept {
  if (list.empty == superblock) list.empty = 0;
  unlink(list, superblock);
  superblocks_.release_small(superblock);
}

bool SmallBlocks::is_taken(Bin bin, std::uint64_t superblock, std::uint32_t block) const noexcept {
  const std::lock_guard lock(list_of(bin).mutex);
  return (bitmaps_[superblock].words[block / 64] & bit(block)) == 0;
}

void SmallBlocks::link(List& list, std::uint32_t superblock) noexcept {
  BlockBitmap& bitmap = bitmaps_[superblock];
  // At the end: blocks that are freed one after the other are often neighbours, and until it is this one's turn all of
  // them may have become free.
  bitmap.next = 0;
  bitmap.previous = list.last;
  bitmap.listed = true;
  if (list.last != 0)
    bitmaps_[list.last].next = superblock;
  else
    list.first = superblock;
  list.last = superblock;
}

void SmallBlocks::unlink(List& list, std::uint32_t superblock) noexcept {
  BlockBitmap& bitmap = bitmaps_[superblock];
  if (bitmap.previous != 0)
    bitmaps_[bitmap.previous].next = bitmap.next;
  else
    list.first = bitmap.next;
  if (bitmap.next != 0)
    bitmaps_[bitmap.next].previous = bitmap.previous;
  else
    list.last = bitmap.previous;
  bitmap.listed = false;
  bitmap.next = bitmap.previous = 0;
}

}  // namespace perdure::alloc
