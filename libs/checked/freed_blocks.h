#ifndef PERDURE_CHECKED_FREED_BLOCKS_H
#define PERDURE_CHECKED_FREED_BLOCKS_H

#include <cstddef>
#include <cstdint>
#include <mutex>
#include <unordered_map>

namespace perdure::checked {

/// Which blocks of pools checked code has freed, and where. Thread-safe.
///
/// A thread notes a free only when its transaction has committed, and meanwhile another one may have got the block. So
/// each event has a time: the last one counts, whatever the order in which they are noted.
class FreedBlocks {
 public:
  /// A time after all that were taken before. A transaction takes one at its end: after what it allocated was free, and
  /// before what it freed can be allocated.
  std::uint64_t now();

  void note_allocated(const void* block, std::uint64_t when) { note(block, {when, nullptr}); }
  void note_freed(const void* block, std::uint64_t when, const char* place) { note(block, {when, place}); }

  /// Where the block was freed; null when it was not, or is in use again.
  const char* place_of_free(const void* block);

  /// The pool in the slot is closed.
  void forget(std::size_t slot);

  std::mutex& mutex() { return mutex_; }

 private:
  struct Event {
    std::uint64_t when;
    const char* place;  // of the free; null: allocated
  };
  void note(const void* block, Event event);

  std::mutex mutex_;
  std::uint64_t last_ = 0;
  std::unordered_map<const void*, Event> events_;
};

/// The program's. Never destroyed: blocks are freed until the very end.
FreedBlocks& freed_blocks();

}  // namespace perdure::checked

#endif
