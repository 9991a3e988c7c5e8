#ifndef PERDURE_TX_ADDITIONS_H
#define PERDURE_TX_ADDITIONS_H

#include <algorithm>
#include <cstddef>
#include <cstdint>

#include "log/growing_array.h"

namespace perdure::tx {

/// What a transaction is to add to counters (perdure/counting.h) when its body has returned. Until then it has not read
/// them, so it does not conflict with others that add to them.
///
/// Elements are not removed before the end, but for those of a part that is undone: what is not to be added any more is
/// subtracted by another element.
class Additions {
 public:
  constexpr Additions() = default;

  bool empty() const { return all_.empty(); }

  /// \returns whether it is noted: with too many, a look through them would take longer than a conflict.
  bool add(std::uint64_t* word, std::uint64_t amount) {
    if (all_.size() >= most) return false;
    note(word, amount);
    return true;
  }

  /// What is to be added to the word; from now on nothing is.
  std::uint64_t take(std::uint64_t* word) {
    std::uint64_t sum = 0;
    for (const Addition& each : all_)
      if (each.word == word) sum += each.amount;
    if (sum != 0) note(word, -sum);
    return sum;
  }

  /// Takes what there is and calls `function(word, sum)` for each word.
  template <class Function>
  void take_each(Function&& function) {
    for (std::size_t i = 0, count = all_.size(); i < count; ++i) {
      std::uint64_t* const word = all_[i].word;
      if (const std::uint64_t sum = take(word); sum != 0) function(word, sum);
    }
  }

  /// The block is freed.
  void forget_in(const void* block, std::size_t bytes) {
    for (std::size_t i = 0, count = all_.size(); i < count; ++i)
      if (reinterpret_cast<std::uintptr_t>(all_[i].word) - reinterpret_cast<std::uintptr_t>(block) < bytes)
        take(all_[i].word);
  }

  /// Calls `function(word, sum)` for each word, in the order of addresses: threads that lock them in that order do not
  /// wait for each other in a circle.
  template <class Function>
  void for_each_sum(Function&& function) {
    std::sort(all_.begin(), all_.end(), [](const Addition& a, const Addition& b) { return a.word < b.word; });
    for (const Addition* first = all_.begin(); first != all_.end();) {
      const Addition* next = first;
      std::uint64_t sum = 0;
      for (; next != all_.end() && next->word == first->word; ++next) sum += next->amount;
      if (sum != 0) function(first->word, sum);
      first = next;
    }
  }

  /// How many there were, for a part of the transaction that is undone alone.
  std::size_t size() const { return all_.size(); }
  void forget_since(std::size_t mark) { all_.truncate(mark); }

  void clear() { all_.clear(); }
  void release() { all_.release(); }

 private:
  static constexpr std::size_t most = 64;

  struct Addition {
    std::uint64_t* word;
    std::uint64_t amount;
  };

  void note(std::uint64_t* word, std::uint64_t amount) { all_.push_back({word, amount}); }

  log::GrowingArray<Addition> all_;
};

}  // namespace perdure::tx

#endif
