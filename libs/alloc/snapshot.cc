#include "alloc/snapshot.h"

#include <cstring>
#include <vector>

#include "persist/durable.h"
#include "pool/checksum.h"

namespace perdure::alloc {
namespace {

constexpr std::size_t bitmap_words(std::size_t size_class) { return (blocks_in_superblock(size_class) + 63) / 64; }

/// The first word of a record.
struct RecordHead {
  std::uint32_t superblock;
  std::uint32_t free;
};
static_assert(sizeof(RecordHead) == sizeof(std::uint64_t));

std::vector<std::uint64_t> collect(Heap& heap) {
  std::vector<std::uint64_t> words;
  const Superblocks& superblocks = heap.superblocks();
  for (std::uint64_t number = pool::first_superblock; number < superblocks.count(); ++number) {
    const Use use = superblocks.use(number);
    if (!is_small(use)) continue;
    const std::size_t size_class = class_of(use);
    const BlockBitmap& bitmap = heap.small_blocks().bitmap(number);
    if (bitmap.free == blocks_in_superblock(size_class)) continue;
    const RecordHead head{static_cast<std::uint32_t>(number), bitmap.free};
    words.emplace_back();
    std::memcpy(&words.back(), &head, sizeof(head));
    if (bitmap.free != 0)
      words.insert(words.end(), bitmap.words.begin(), bitmap.words.begin() + bitmap_words(size_class));
  }
  return words;
}

/// Reads a snapshot record by record.
class Reader {
 public:
  Reader(Heap& heap, const std::uint64_t* words, std::size_t count) : heap_(heap), words_(words), count_(count) {}

  bool read_all() {
    while (position_ < count_)
      if (!read_record()) return false;
    free_between(previous_, heap_.superblocks().count());
    return true;
  }

 private:
  bool read_record() {
    RecordHead head;
    std::memcpy(&head, &words_[position_++], sizeof(head));
    if (head.superblock <= previous_ || head.superblock >= heap_.superblocks().count()) return false;
    free_between(previous_, head.superblock);
    previous_ = head.superblock;
    const Use use = heap_.superblocks().use(head.superblock);
    if (!is_small(use)) return false;
    const std::size_t words = head.free == 0 ? 0 : bitmap_words(class_of(use));
    if (words > count_ - position_) return false;
    // Where none is free the bitmap need not even be touched.
    if (words != 0) heap_.small_blocks().set_free(head.superblock, {words_ + position_, words});
    position_ += words;
    return true;
  }

  /// What the snapshot does not list.
  void free_between(std::uint64_t previous, std::uint64_t next) {
    for (std::uint64_t number = previous + 1; number < next; ++number)
      if (is_small(heap_.superblocks().use(number))) heap_.small_blocks().make_all_free(number);
  }

  Heap& heap_;
  const std::uint64_t* words_;
  std::size_t count_;
  std::size_t position_ = 0;
  std::uint64_t previous_ = 0;  // superblock that was read
};

}  // namespace

std::optional<SnapshotPlace> write_snapshot(Heap& heap) {
  const std::vector<std::uint64_t> words = collect(heap);
  if (words.empty()) return SnapshotPlace{};
  const std::size_t bytes = words.size() * sizeof(std::uint64_t);
  const auto first =
      heap.superblocks().take_for_snapshot((bytes + pool::superblock_bytes - 1) / pool::superblock_bytes);
  if (!first) return std::nullopt;
  std::byte* const target = heap.superblocks().address(*first);
  std::memcpy(target, words.data(), bytes);
  persistence::note_change(target, bytes);
  // Durable with the first copy of the header that calls the pool clean; the second copy, which makes it count, follows
  // behind that fence.
  return SnapshotPlace{*first, bytes, pool::checksum(target, bytes)};
}

bool load_snapshot(Heap& heap, const SnapshotPlace& place) {
  if (place.bytes == 0) return Reader(heap, nullptr, 0).read_all();
  const std::uint64_t count = heap.superblocks().count();
  const bool inside = place.first_superblock >= pool::first_superblock && place.first_superblock < count &&
                      place.bytes % sizeof(std::uint64_t) == 0 &&
                      place.bytes <= (count - place.first_superblock) * pool::superblock_bytes;
  if (!inside) return false;
  const std::byte* const source = heap.superblocks().address(place.first_superblock);
  if (pool::checksum(source, place.bytes) != place.checksum) return false;
  return Reader(heap, reinterpret_cast<const std::uint64_t*>(source), place.bytes / sizeof(std::uint64_t)).read_all();
}

}  // namespace perdure::alloc
