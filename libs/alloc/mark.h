#ifndef PERDURE_ALLOC_MARK_H
#define PERDURE_ALLOC_MARK_H

#include <algorithm>
#include <array>
#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <mutex>
#include <optional>
#include <span>
#include <vector>

#include "alloc/layout_table.h"
#include "alloc/mark_map.h"
#include "alloc/mark_work.h"
#include "alloc/small_blocks.h"
#include "alloc/superblocks.h"
#include "persist/domain.h"

namespace perdure::alloc {

/// What a mark has done.
struct MarkReport {
  std::uint64_t blocks_reclaimed = 0;  ///< not reached, and so free; some were free before the crash
  std::uint64_t bytes_visited = 0;
  double milliseconds = 0;
};

/// Finds after a crash which blocks are in use: those that a root reached when the mark began. Conservative: any
/// aligned word whose value is an address in a block, its inside included, keeps that block. Given the pool's layouts
/// it is exact: words that cannot be pointers keep nothing. Threads may use the pool meanwhile.
///
/// Snapshot at the beginning (Yuasa, JSS'90). The mark is about the superblocks in use when it begins. They are held:
/// none of their blocks is handed out, and what is freed of them is only remembered, until the mark is over. Who
/// overwrites a word in place shades the old value first (alloc/shading.h).
///
/// Invariant: each block that was reachable in the beginning is marked, or there is a path to it of words that still
/// hold what they held, from a marked block that is yet to be visited. For the first overwriting of a word on the path
/// puts the block behind it among these, before a marker can see the new value: transactions shade, then store with
/// release, and markers load with acquire. To mark a block and to leave it to be visited is one step under the lock
/// under which the end is decided (alloc/mark_work.h).
///
/// So when nothing is left to visit, all blocks that were reachable are marked. What was not reachable then never
/// becomes so, because transactions find no pointer to it; what was allocated since lies in other superblocks.
class Mark {
 public:
  /// Begins a mark of superblocks that are not rebuilt yet, and holds those of kind small.
  /// \param roots    the memory to start from; visited at once.
  /// \param layouts  null: all words of a block may be pointers.
  Mark(Superblocks& superblocks, SmallBlocks& small_blocks, Range roots, const LayoutTable* layouts);
  Mark(const Mark&) = delete;
  Mark& operator=(const Mark&) = delete;
  ~Mark();

  /// Makes the blocks that were not reached, or were freed since, free: once, when no marker has anything left.
  void sweep();

  /// Waits until everything has been swept.
  void wait() const noexcept { is_over_.wait(false, std::memory_order_acquire); }
  bool is_over() const noexcept { return is_over_.load(std::memory_order_acquire); }
  /// When it is over.
  const MarkReport& report() const noexcept { return report_; }

  /// Marks what the word held when the mark began. Thread-safe.
  void shade(std::uintptr_t old_value);

  /// A block is freed. \returns false when the mark is not or no more about it. Stops the program when it was freed
  /// before.
  bool free(const void* block);
  /// Whether the mark holds the block and it has not been freed.
  bool is_kept(const void* block) const noexcept;

 private:
  friend class Marker;

  /// The memory of a block.
  Range range_of(BlockNumber block) const noexcept;
  /// What is in the block; null if that is not known, or not asked for.
  const BlockLayout* layout_of(BlockNumber block) const noexcept;
  void sweep_superblock(std::uint64_t number);
  std::uint64_t sweep_run(std::uint64_t first);

  Superblocks& superblocks_;
  SmallBlocks& small_blocks_;
  const LayoutTable* const layouts_;
  MarkMap map_;
  MarkWork work_;
  std::atomic<std::uint64_t> bytes_visited_{0};
  const std::chrono::steady_clock::time_point started_ = std::chrono::steady_clock::now();
  MarkReport report_;
  std::mutex sweep_mutex_;   // guards what follows, and what is freed against being swept
  std::uint64_t swept_ = 0;  // superblocks below
  std::atomic<bool> is_over_{false};
};

/// One of those that share the work of a mark.
class Marker {
 public:
  explicit Marker(Mark& mark) : mark_(mark) { mark.work_.enter(); }
  Marker(const Marker&) = delete;
  Marker& operator=(const Marker&) = delete;
  ~Marker() { mark_.bytes_visited_.fetch_add(bytes_visited_, std::memory_order_relaxed); }

  /// Visits what there is, and what others leave. \returns when nothing is left.
  void run() {
    while (step()) {
    }
  }
  /// Visits one range. \returns false when nothing is left.
  bool step();

 private:
  friend class Mark;

  /// The ranges of a marker that come next. Their memory is on its way to the processor's cache meanwhile: a queue,
  /// since what was pushed on a stack last would be visited at once.
  class Ahead {
   public:
    bool is_empty() const { return count_ == 0; }
    bool is_full() const { return count_ == size; }
    void push(Range range) {
      for (std::size_t offset = 0; offset < std::min(range.size(), most_fetched); offset += persistence::line_bytes)
        __builtin_prefetch(range.data() + offset);
      ranges_[(first_ + count_++) % size] = range;
    }
    Range pop() {
      --count_;
      return ranges_[first_++ % size];
    }

   private:
    static constexpr std::size_t size = 16;
    static constexpr std::size_t most_fetched = 4 * persistence::line_bytes;
    std::array<Range, size> ranges_;
    std::size_t first_ = 0;
    std::size_t count_ = 0;
  };

  void look_ahead();
  void visit_words(Range range);
  void visit_all_words(Range range);
  void visit_words_of(const BlockLayout& layout, Range block, Range range);
  void visit_word(const std::byte* word);
  void visit(std::uintptr_t word);
  void share();

  Mark& mark_;
  std::vector<Range> worklist_;  // a stack, and explicit: a list in the pool may be as long as memory is large
  Ahead ahead_;
  bool has_work_ = true;  // here, or it has not been told yet that there is none
  std::uint64_t bytes_visited_ = 0;
};

}  // namespace perdure::alloc

#endif
