#ifndef PERDURE_MEMO_H
#define PERDURE_MEMO_H

#include <cstdint>
#include <functional>
#include <optional>
#include <string_view>
#include <type_traits>
#include <utility>

#include "perdure/attributes.h"
#include "perdure/memo/bytes.h"
#include "perdure/memo/options.h"
#include "perdure/memo/results.h"
#include "perdure/memo/table.h"
#include "perdure/pool.h"

namespace perdure {

/// A function whose results are kept in a pool: `memo<Result(Arguments...)>`. What was computed once is not computed
/// again, in this run or a later one. (N. Krauter et al., “Persistent Software Transactional Memory in Haskell”,
/// ICFP'21, sections 3.4, 4.3 and 5.5.)
///
///     perdure::memo<std::string(int)> page(pool, "pages", [](int number) { return render(number); });
///     std::string first = page(1);  // renders it, unless an earlier run has
///
/// **When the function is called.** On demand, by the thread that asks, *outside of transactions*, as the paper
/// evaluates its thunks: no conflict can repeat it, it need not be compiled with the plugin, and may do what it likes.
/// What it returns is then stored in one transaction. If it asks for other results in its turn, each of them is stored
/// by itself, and stays, whatever becomes of the first.
///
/// **How often.** Once a call has returned a result, the function is not called for it again, by any thread, run or
/// other memo of the same table and version, unless the result was evicted or forgotten, or was too large to keep. A
/// crash before that, be it in the function or between its return and the end of the transaction that stores what it
/// returned, leaves nothing of this evaluation, and who asks next evaluates. So what the function does elsewhere may
/// have been done before. (In a pool with Acknowledgement::relaxed a crash may also take the newest results.)
///
/// **Threads.** While one evaluates, others that ask for the same wait, without using the processor (perdure::retry).
/// An exception of the function goes to the one that evaluates; the next one that waits evaluates then. A function that
/// asks for its own result by the same thread gets an Error. Threads that do so in a circle wait for ever, as the
/// function without a memo would not end.
///
/// Thread-safe. Neither the pool may be closed, nor the table destroyed, before the memo.
///
/// \tparam Result  can be copied in a transaction.
/// \tparam Arguments  have std::hash and ==, the same in each run, and can be copied in a transaction; they are kept by
/// value.
template <class Result, class... Arguments>
class memo<Result(Arguments...)> {  // NOLINT(readability-identifier-naming): like std::function
  static_assert(std::is_same_v<Result, std::decay_t<Result>> && std::is_copy_constructible_v<Result>,
                "a result is stored and copied: let the function return it by value");

 public:
  using Table = MemoTable<Result(Arguments...)>;

  /// \param table  in a pool. Several memos may share it, of different versions too.
  /// \param function  is called with the arguments; or, if it can be, with this memo before them, for functions that
  /// need other results of theirs (the paper's `fix`). By one thread for each result, but by several at a time.
  /// \throws Error when the table was made by a program with another layout of Result or Arguments.
  template <class Function>
  memo(Table& table, Function function, const MemoOptions& options = {})
      : results_(table, options), function_(with_self(std::move(function))), version_(options.version) {}

  /// The same for the table that is the root `name`, made on first use.
  /// \throws also what Pool::root does.
  template <class Function>
  memo(Pool& pool, std::string_view name, Function function, const MemoOptions& options = {})
      : memo(pool.root<Table>(name), std::move(function), options) {}

  memo(const memo&) = delete;
  memo& operator=(const memo&) = delete;
  ~memo() = default;

  /// The function's result, from the pool, or from the function. It lies in ordinary memory and is durable. Not to be
  /// called in a transaction (`find` may be).
  /// \throws what the function throws; std::bad_alloc when the pool has no room for the result, which is lost then;
  /// Error when the thread is evaluating it already.
  PERDURE_UNSAFE Result operator()(const std::decay_t<Arguments>&... arguments) {
    return results_.call(Key(version_, arguments...), [&] { return function_(*this, arguments...); });
  }

  /// The result, if it is there: nothing is evaluated. In transactions, also to wait: `if (!page.find(1)) TM_RETRY;`.
  /// What the copy owns is allocated by a transaction, so it lies in a pool.
  std::optional<Result> find(const std::decay_t<Arguments>&... arguments) const {
    return results_.find(Key(version_, arguments...));
  }

  /// Forgets a result, in a transaction: who asks next evaluates.
  /// \returns whether it was there.
  bool forget(const std::decay_t<Arguments>&... arguments) { return results_.forget(Key(version_, arguments...)); }

  /// Forgets what other versions have left in the table, in several transactions.
  PERDURE_UNSAFE void forget_other_versions() {
    results_.forget_where([version = version_](const auto& entry) { return entry.version != version; });
  }

  /// Forgets everything that was in the table when it was called, and perhaps what others store meanwhile; in several
  /// transactions.
  PERDURE_UNSAFE void clear() {
    results_.forget_where([](const auto&) { return true; });
  }

  /// Of the table, as of one moment, and of the calls of this memo so far.
  MemoStatistics statistics() const { return results_.statistics(); }

 private:
  using Key = typename Table::Key;
  using Function = std::function<Result(memo&, const std::decay_t<Arguments>&...)>;

  template <class Given>
  static Function with_self(Given given) {
    if constexpr (std::is_invocable_r_v<Result, Given&, memo&, const std::decay_t<Arguments>&...>)
      return Function(std::move(given));
    else
      return [given = std::move(given)](memo&, const std::decay_t<Arguments>&... arguments) mutable -> Result {
        return given(arguments...);
      };
  }

  detail::MemoResults<Result, Arguments...> results_;
  Function function_;
  std::uint64_t version_;
};

}  // namespace perdure

#endif
