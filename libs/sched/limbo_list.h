#ifndef PERDURE_SCHED_LIMBO_LIST_H
#define PERDURE_SCHED_LIMBO_LIST_H

#include <cstddef>
#include <cstdint>
#include <vector>

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
    while (first_ != blocks_.size() && blocks_[first_].freed_at <= horizon) release(blocks_[first_++].block);
    // At most half of the places are empty: each block is moved once at most, on the average.
    if (first_ * 2 >= blocks_.size()) drop_collected();
  }

  /// Hands every block of which `is_released(block)` says so to `release`.
  template <class IsReleased, class Release>
  void collect_if(IsReleased&& is_released, Release&& release) {
    drop_collected();
    std::erase_if(blocks_, [&](const Freed& freed) {
      if (!is_released(freed.block)) return false;
      release(freed.block);
      return true;
    });
  }

  void take_all(LimboList& other) {
    other.drop_collected();
    blocks_.insert(blocks_.end(), other.blocks_.begin(), other.blocks_.end());
    other.blocks_.clear();
  }

  std::size_t size() const { return blocks_.size() - first_; }

 private:
  struct Freed {
    void* block;
    std::uint64_t freed_at;
  };

  void drop_collected() {
    blocks_.erase(blocks_.begin(), blocks_.begin() + static_cast<std::ptrdiff_t>(first_));
    first_ = 0;
  }

  std::vector<Freed> blocks_;
  std::size_t first_ = 0;  // those before it have been collected
};

}  // namespace perdure::sched

#endif
