#ifndef PERDURE_SCHED_LIMBO_LIST_H
#define PERDURE_SCHED_LIMBO_LIST_H

#include <cstddef>
#include <cstdint>
#include <deque>

namespace perdure::sched {

/// Blocks that a thread freed and that may not be reused yet: a doomed transaction may still read them (a block that is
/// handed out again is written without touching orecs), and an unretired log may still write to them. Nobody waits;
/// the block does. (Epoch-based reclamation; traps 2 and 14 of PACT'19's optimisations.)
class LimboList {
 public:
  /// \param freed_at  the commit timestamp of the transaction that freed the block; not smaller than in earlier calls.
  void add(void* block, std::uint64_t freed_at) { blocks_.push_back({block, freed_at}); }

  /// Hands every block freed at or before `horizon` to `release`.
  template <class Release>
  void collect(std::uint64_t horizon, Release&& release) {
    while (!blocks_.empty() && blocks_.front().freed_at <= horizon) {
      release(blocks_.front().block);
      blocks_.pop_front();
    }
  }

  /// Hands every block of which `is_released(block)` says so to `release`.
  template <class IsReleased, class Release>
  void collect_if(IsReleased&& is_released, Release&& release) {
    std::erase_if(blocks_, [&](const Freed& freed) {
      if (!is_released(freed.block)) return false;
      release(freed.block);
      return true;
    });
  }

  void take_all(LimboList& other) {
    blocks_.insert(blocks_.end(), other.blocks_.begin(), other.blocks_.end());
    other.blocks_.clear();
  }

  std::size_t size() const { return blocks_.size(); }

 private:
  struct Freed {
    void* block;
    std::uint64_t freed_at;
  };
  std::deque<Freed> blocks_;
};

}  // namespace perdure::sched

#endif
