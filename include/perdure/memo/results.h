#ifndef PERDURE_MEMO_RESULTS_H
#define PERDURE_MEMO_RESULTS_H

#include <atomic>
#include <cstdint>
#include <memory>
#include <optional>
#include <tuple>

#include "perdure/attributes.h"
#include "perdure/error.h"
#include "perdure/memo/bytes.h"
#include "perdure/memo/claims.h"
#include "perdure/memo/hand_out.h"
#include "perdure/memo/options.h"
#include "perdure/memo/table.h"
#include "perdure/retry.h"
#include "perdure/roots.h"
#include "perdure/transaction.h"

namespace perdure::detail {

/// The results of one version of a function, in a table: what a perdure::memo does, whatever the function is.
template <class Result, class... Arguments>
class MemoResults {
 public:
  using Table = MemoTable<Result(Arguments...)>;
  using Key = typename Table::Key;

  MemoResults(Table& table, const MemoOptions& options)
      : table_(&table), claims_(claims_of<Claims>(&table)), limits_{options.most_entries, options.most_bytes} {
    if (execute([&] { return table_->entry_size_; }) != sizeof(Entry))
      throw Error(
          "perdure: a table of a memo was made by a program with another layout of its result or arguments. Give the "
          "new type another name, or the table another root.");
    constexpr std::uint64_t most_at_once = 64;
    while (execute([&] { return table_->make_room(limits_, most_at_once); })) {
    }
  }

  /// \param evaluate  without parameters: the result, if it must be evaluated.
  template <class Evaluate>
  Result call(const Key& key, Evaluate evaluate) {
    std::optional<Result> result;
    execute([&] { look_up(key, result); });
    if (!result.has_value()) {
      if (const Claim* const claim = claim_or_wait(key, result)) return keep(claim, key, evaluate);
    }
    hits_.fetch_add(1, std::memory_order_relaxed);
    return std::move(*result);
  }

  std::optional<Result> find(const Key& key) const {
    return execute([&]() -> std::optional<Result> {
      Entry* const entry = table_->find(key);
      if (entry == nullptr) return std::nullopt;
      Table::use(*entry, limits_);
      return entry->result;
    });
  }

  bool forget(const Key& key) {
    return execute([&] {
      Entry* const entry = table_->find(key);
      if (entry != nullptr) table_->remove(*entry);
      return entry != nullptr;
    });
  }

  template <class IsUnwanted>
  void forget_where(IsUnwanted is_unwanted) {
    for (std::uint64_t left = execute([&] { return table_->entries_; }); left != 0;)
      left = execute([&] { return table_->remove_some(is_unwanted, left); });
  }

  MemoStatistics statistics() const {
    MemoStatistics all;
    execute([&] {
      all.entries = table_->entries_;
      all.bytes = table_->bytes_;
      all.stored = table_->stored_;
      all.evicted = table_->evicted_;
    });
    all.hits = hits_.load(std::memory_order_relaxed);
    all.evaluations = evaluations_.load(std::memory_order_relaxed);
    all.failures = failures_.load(std::memory_order_relaxed);
    all.waits = waits_.load(std::memory_order_relaxed);
    return all;
  }

 private:
  using Entry = typename Table::Entry;
  using Claims = MemoClaims<std::decay_t<Arguments>...>;
  using Claim = typename Claims::Claim;

  enum class Outcome : std::uint8_t { found, claimed, circular };

  // In transactions:

  /// \returns whether it is there.
  bool look_up(const Key& key, std::optional<Result>& result) const {
    Entry* const entry = table_->find(key);
    if (entry == nullptr) return false;
    Table::use(*entry, limits_);
    hand_out(entry->result, result);
    return true;
  }

  /// Called as it is: what is rolled back to wait has waited.
  [[gnu::noinline]] PERDURE_PURE static void note(std::atomic<bool>& flag) {
    flag.store(true, std::memory_order_relaxed);
  }

  // Outside of them:

  /// Waits while another thread evaluates the result, and then either has it or is to evaluate it.
  /// \returns the claim to do so; null if `result` is there.
  const Claim* claim_or_wait(const Key& key, std::optional<Result>& result) {
    // Made out here: what a transaction allocates lies in a pool.
    auto claim = std::make_unique<Claim>(key);
    Outcome outcome{};
    try {
      outcome = decide(*claim, key, result);
    } catch (const DurabilityError&) {
      abandon(claim.release(), key);
      throw;
    }
    if (outcome == Outcome::circular)
      throw Error(
          "perdure: to evaluate a function of a memo, its result for the same arguments is needed. Without the memo "
          "it would not end.");
    return outcome == Outcome::claimed ? claim.release() : nullptr;
  }

  Outcome decide(Claim& mine, const Key& key, std::optional<Result>& result) {
    std::atomic<bool> has_waited{false};
    const auto outcome = execute([&] {
      if (look_up(key, result)) return Outcome::found;
      if (const Claim* const other = claims_->find(key)) {
        if (other->thread == mine.thread) return Outcome::circular;
        note(has_waited);
        TM_RETRY;
      }
      claims_->add(mine, key);
      return Outcome::claimed;
    });
    if (has_waited) waits_.fetch_add(1, std::memory_order_relaxed);
    return outcome;
  }

  template <class Evaluate>
  Result keep(const Claim* claim, const Key& key, Evaluate& evaluate) {
    try {
      Result result = evaluate();
      store(claim, key, result);
      evaluations_.fetch_add(1, std::memory_order_relaxed);
      return result;
    } catch (...) {
      failures_.fetch_add(1, std::memory_order_relaxed);
      abandon(claim, key);
      throw;
    }
  }

  /// Wakes who waits for it. If the claim is not there, a transaction has ended it that then failed to be durable.
  void abandon(const Claim* claim, const Key& key) {
    try {
      execute([&] { claims_->remove(claim, key); });
    } catch (const DurabilityError&) {
      // In memory it is done, and the error of before goes on.
    }
  }

  /// In the transaction that ends the claim: so whoever sees neither of them may evaluate.
  void store(const Claim* claim, const Key& key, const Result& result) {
    const std::uint64_t owned = std::apply(
        [&](const auto&... parts) { return (bytes_owned_by(result) + ... + bytes_owned_by(parts)); }, key.arguments);
    const roots::detail::AllocationScope scope(table_);
    execute([&] {
      claims_->remove(claim, key);
      table_->store(key, result, sizeof(Entry) + owned, limits_);
    });
  }

  Table* table_;
  std::shared_ptr<Claims> claims_;
  typename Table::Limits limits_;
  std::atomic<std::uint64_t> hits_{0}, evaluations_{0}, failures_{0}, waits_{0};
};

}  // namespace perdure::detail

#endif
