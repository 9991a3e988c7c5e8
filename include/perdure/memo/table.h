#ifndef PERDURE_MEMO_TABLE_H
#define PERDURE_MEMO_TABLE_H

#include <cstddef>
#include <cstdint>

#include "perdure/memo/key.h"
#include "perdure/memo/options.h"
#include "perdure/memo/trie.h"

namespace perdure {

template <class Signature>
class memo;
template <class Signature>
class MemoTable;

namespace detail {
template <class Result, class... Arguments>
class MemoResults;
}  // namespace detail

/// What lies in the pool of a perdure::memo: results by versions and arguments. A root of its own, or a member of other
/// objects there. Destroying it forgets all results, in the transaction that does it.
template <class Result, class... Arguments>
class MemoTable<Result(Arguments...)> {
 public:
  MemoTable() = default;
  MemoTable(const MemoTable&) = delete;
  MemoTable& operator=(const MemoTable&) = delete;
  ~MemoTable() {
    while (hand_ != nullptr) remove(*hand_);
  }

 private:
  friend class memo<Result(Arguments...)>;
  friend class detail::MemoResults<Result, Arguments...>;

  using Key = detail::MemoKey<std::decay_t<Arguments>...>;

  struct Entry : detail::StoredMemoKey<std::decay_t<Arguments>...> {
    Entry(const Key& key, const Result& value, std::uint64_t size)
        : detail::StoredMemoKey<std::decay_t<Arguments>...>(key), result(value), bytes(size) {}

    Result result;
    std::uint64_t bytes;    // that the whole entry takes
    bool was_used = false;  // since the hand came by
    Entry* same_hash = nullptr;
    Entry* next = nullptr;  // in the ring
    Entry* previous = nullptr;
  };

  struct Limits {
    std::uint64_t entries = memo_unlimited;
    std::uint64_t bytes = memo_unlimited;

    bool are_there() const { return entries != memo_unlimited || bytes != memo_unlimited; }
  };

  // What follows is called in transactions.

  Entry* find(const Key& key) const {
    Entry* entry = trie_.find(key.hash);
    while (entry != nullptr && !entry->is(key)) entry = entry->same_hash;
    return entry;
  }

  /// A limit makes a reader write, once in a round of the hand.
  static void use(Entry& entry, const Limits& limits) {
    if (limits.are_there() && !entry.was_used) entry.was_used = true;
  }

  void store(const Key& key, const Result& result, std::uint64_t bytes, const Limits& limits) {
    ++stored_;
    if (bytes > limits.bytes || limits.entries == 0 || find(key) != nullptr) return;
    make_room({limits.entries - 1, limits.bytes - bytes}, memo_unlimited);
    auto* const entry = new Entry(key, result, bytes);
    trie_.insert(*entry);
    link(*entry);
    ++entries_;
    bytes_ += bytes;
  }

  /// Evicts until no more is there than the limits say (the clock algorithm: what was used since the hand came by stays
  /// for another round). Some are spared, no more: a transaction should not go round the whole ring.
  /// \param most  that are evicted. \returns whether that was too few.
  bool make_room(const Limits& limits, std::uint64_t most) {
    constexpr unsigned most_spared = 64;
    for (unsigned spared = 0; entries_ > limits.entries || bytes_ > limits.bytes;) {
      if (hand_->was_used && spared < most_spared) {
        hand_->was_used = false;
        hand_ = hand_->next;
        ++spared;
        continue;
      }
      if (most-- == 0) return true;
      remove(*hand_);
      ++evicted_;
    }
    return false;
  }

  /// Goes on with the hand and removes what is unwanted. \param left  so many are still to be looked at.
  /// \returns how many are, after a part that is not too much for a transaction.
  template <class IsUnwanted>
  std::uint64_t remove_some(IsUnwanted is_unwanted, std::uint64_t left) {
    constexpr unsigned most = 64;
    for (unsigned looked_at = 0; left != 0 && looked_at != most; ++looked_at, --left) {
      if (hand_ == nullptr) return 0;
      if (is_unwanted(*hand_))
        remove(*hand_);
      else
        hand_ = hand_->next;
    }
    return left;
  }

  void remove(Entry& entry) {
    trie_.remove(entry);
    unlink(entry);
    --entries_;
    bytes_ -= entry.bytes;
    delete &entry;
  }

  /// Behind the hand, which comes to it last.
  void link(Entry& entry) {
    if (hand_ == nullptr) hand_ = entry.next = entry.previous = &entry;
    entry.next = hand_;
    entry.previous = hand_->previous;
    entry.previous->next = &entry;
    hand_->previous = &entry;
  }

  void unlink(Entry& entry) {
    if (hand_ == &entry) hand_ = entry.next != &entry ? entry.next : nullptr;
    entry.previous->next = entry.next;
    entry.next->previous = entry.previous;
  }

  static constexpr std::size_t line = 64;

  // Every call reads these, and those that store write what comes behind them.
  detail::HashTrie<Entry> trie_;
  std::uint64_t entry_size_ = sizeof(Entry);  // of whoever made the table: it must be that of whoever uses it
  alignas(line) Entry* hand_ = nullptr;       // into the ring of all entries
  std::uint64_t entries_ = 0;
  std::uint64_t bytes_ = 0;
  std::uint64_t stored_ = 0;  // results, ever
  std::uint64_t evicted_ = 0;
};

}  // namespace perdure

#endif
