#ifndef PERDURE_SCHED_LIMBO_LIST_H
#define PERDURE_SCHED_LIMBO_LIST_H

#include <algorithm>
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

  /// \returns the newest block freed at or before `horizon`, among the last few, of which `is_wanted(block)` says so:
  /// in use again, unless it is put back. Null if there is none.
  template <class IsWanted>
  void* take(std::uint64_t horizon, IsWanted&& is_wanted) {
    const std::size_t oldest = blocks_.size() - std::min(size(), most_looked_at);
    for (std::size_t i = blocks_.size(); i-- > oldest;) {
      if (blocks_[i].freed_at > horizon || !is_wanted(blocks_[i].block)) continue;
      taken_.push_back(blocks_[i]);
      blocks_.erase(blocks_.begin() + static_cast<std::ptrdiff_t>(i));
      return taken_.back().block;
    }
    return nullptr;
  }
  /// Behind the others: it may wait for longer than it has to.
  void put_back(void* block) { blocks_.push_back(*std::ranges::find(taken_, block, &Freed::block)); }
  /// None of those that were taken, and not put back, will be.
  void keep_taken() { taken_.clear(); }

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

  static constexpr std::size_t most_looked_at = 2;

  std::vector<Freed> blocks_;
  std::vector<Freed> taken_;
  std::size_t first_ = 0;  // those before it have been collected
};

}  // namespace perdure::sched

#endif
