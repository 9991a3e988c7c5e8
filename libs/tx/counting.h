#ifndef PERDURE_TX_COUNTING_H
#define PERDURE_TX_COUNTING_H

#include <cstdint>

#include "pool/window.h"
#include "tx/abort.h"
#include "tx/additions.h"
#include "tx/algorithm.h"
#include "tx/checkpoint.h"
#include "tx/memory_manager.h"

namespace perdure::tx {

/// Counters (perdure/counting.h): a part of tx::Transaction. What is added to them is noted, and done at the end, when
/// the body has returned and before the commit. The algorithm then has the word for a moment only; one that can
/// (`AddsWithoutConflict`) locks it first and reads it then, so nobody's addition makes another's transaction abort.
///
/// Such a transaction is one whose additions come last: nothing that it did depends on what the words held.
template <class Transaction, class A>
class Counting {
 public:
  void add(std::uint64_t* word, std::uint64_t amount) {
    if (self().serial_.is_on() || self().is_own(word) || !additions_.add(word, amount)) return add_now(word, amount);
    perdure_set_result(&checkpoint, has_handlers);
  }

  /// From here on the transaction depends on it.
  std::uint64_t counter_value(std::uint64_t* word) {
    const std::uint64_t added = additions_.take(word);
    if (added != 0) add_now(word, added);
    return self().read(word);
  }

  void forget_additions(std::uint64_t* word) { additions_.take(word); }

  void free(void* block) {
    if (!additions_.empty()) [[unlikely]]
      additions_.forget_in(block, self().size_of_block(block));
    self().memory_.free(block);
  }

 protected:
  /// The body has returned. \returns has_handlers, or why it was left.
  int add_all() {
    if (additions_.empty()) return has_handlers;
    const auto body = [](void* self) { static_cast<Counting*>(self)->add_what_is_noted(); };
    const int result = perdure_call_with_checkpoint(&checkpoint, body, this);
    return result == 0 ? has_handlers : result;
  }

  /// Code that is not instrumented is about to look at the words.
  void add_before_other_code() {
    additions_.take_each([this](std::uint64_t* word, std::uint64_t sum) { add_now(word, sum); });
  }

  void forget_additions() { additions_.clear(); }

  std::size_t additions() const { return additions_.size(); }
  /// A part of the transaction is undone.
  void forget_additions_since(std::size_t count) { additions_.forget_since(count); }

  void release_additions() { additions_.release(); }

 private:
  friend Transaction;
  constexpr Counting() = default;

  void add_what_is_noted() {
    // Turns of others do not matter as long as it has read nothing: it is to know the last one before it does.
    if constexpr (HelpsOthers<A>) self().algorithm_.state_of_turn();
    additions_.for_each_sum([this](std::uint64_t* word, std::uint64_t sum) {
      if constexpr (AddsWithoutConflict<A>) {
        self().memory_.will_write();
        if (pool::in_window(word) && !self().is_special() && self().algorithm_.add(word, sum)) return;
      }
      // Before it is read: whoever has added to it since this transaction began has not changed what that has read.
      if (!self().extend()) abort(CommitResult::validation);
      add_now(word, sum);
    });
    additions_.clear();
  }

  void add_now(std::uint64_t* word, std::uint64_t amount) { self().write(word, self().read(word) + amount); }

  Transaction& self() { return static_cast<Transaction&>(*this); }

  Additions additions_;
};

}  // namespace perdure::tx

#endif
