#ifndef PERDURE_LOG_JOURNAL_H
#define PERDURE_LOG_JOURNAL_H

#include <concepts>
#include <cstdint>

#include "log/segments.h"
#include "sched/thread_registry.h"

/// What a commit does to become durable. A mode names its journal (algorithms/mode.h); `DurableCommit` takes a commit
/// through the steps, `CommitOverPools` one over several pools, and algorithms know nothing but these two.
///
/// | step       | redo log                    | self-validating records      | undo log (log/durable_undo.h)  |
/// | ---        | ---                         | ---                          | ---                            |
/// | `announce` | a log may become active     | a record may come            | –                              |
/// | `prepare`  | log and captured blocks     | room for the record          | room, with each first write    |
/// | `append`   | the status: the log counts  | the record: it counts        | an old value, before the store |
/// | `await`    | a fence                     | a fence                      | a fence, or a locked instruction |
/// | `complete` | the data                    | its data is in memory        | the data and captured blocks   |
/// | `retire`   | the status, in commit order | a batch, and the watermark   | the status                     |
/// | `withdraw` | the bound is lifted         | the bound is lifted          | old values go back             |
namespace perdure::log {

/// When others may read what a transaction has written: when its locks are released.
enum class Visible : std::uint8_t {
  when_appended,  ///< the record has its place in the order: `await` comes after the locks are released
  when_durable,   ///< `await` has returned
  when_retired    ///< the record does not count any more
};

/// Where a commit's record has its place. Without contents where a fence of the thread covers all it has appended.
struct FencePosition {};

/// A transaction's captured blocks, as far as journals know them (tx/captured.h).
struct NothingCaptured {
  static constexpr bool empty() { return true; }
  static void flush() {}
  template <class Function>
  static void for_each_block(Function&&) {}
};

/// The journal of a lazy algorithm, which has all that a transaction wrote when it commits. One object a thread; calls
/// come in the order in which the functions stand here. Timestamps ascend in the order of the commits that conflict.
///
/// - `visible`: see above. A journal that is `when_appended` makes sure itself that nothing durable depends on what is
///   not: positions are in the order of the timestamps, and become durable in it.
/// - `announce(writes, captured, self, now)`: before the timestamp is taken, which is more than `now`.
/// - `prepare(writes, captured)`: all that can fail. Nothing counts yet.
/// - `append(writes, timestamp)`: the record counts, as soon as it is durable. Returns its position.
/// - `await(position)`: returns when the record is durable.
/// - `written_back(entry)`: the entry's data has just been stored to its place.
/// - `complete(writes, timestamp)`: all data has.
/// - `retire(timestamp, self)`: recovery need not see the record any more, now or later. Lifts the announcement.
/// - `retire_older(address)`: for a serial transaction: returns when nothing that was appended to the pool at `address`
///   can be replayed. Nobody else runs.
/// - `withdraw(self)`: instead of all behind `announce` or `prepare`: the transaction does not commit.
/// - `release()`: the thread ends.
template <class J>
concept Journal = requires(J journal, const typename J::Writes& writes, const typename J::Entry& entry,
                           const NothingCaptured& captured, const typename J::Position& position,
                           sched::ThreadSlot& self, std::uint64_t timestamp) {
  { J::visible } -> std::convertible_to<Visible>;
  { journal.announce(writes, captured, self, timestamp) } -> std::same_as<void>;
  { journal.prepare(writes, captured) } -> std::same_as<LogResult>;
  { journal.append(writes, timestamp) } -> std::same_as<typename J::Position>;
  { journal.await(position) } -> std::same_as<void>;
  { J::written_back(entry) } -> std::same_as<void>;
  { journal.complete(writes, timestamp) } -> std::same_as<void>;
  { journal.retire(timestamp, self) } -> std::same_as<void>;
  { J::retire_older(&self) } -> std::same_as<void>;
  { journal.withdraw(self) } -> std::same_as<void>;
  { journal.release() } -> std::same_as<void>;
};

/// One of the journals of a transaction over several pools. What the parts do together is static and takes all of them,
/// so that one fence may serve all: `Parts` has elements with `writes` and `journal`.
///
/// - `prepare_part(writes)`, `prepared()`: a log that counts if the transaction is decided (log/two_phase_commit.h).
/// - `append_part(writes, timestamp)`, then `await_all(parts)`: the transaction counts in each pool by itself.
/// - `complete_all(parts, timestamp)`, `retire_all(parts, timestamp, self)`: as above.
template <class J>
concept JournalPart = Journal<J> && requires(J journal, const typename J::Writes& writes, sched::ThreadSlot& self,
                                             std::uint64_t timestamp) {
  { journal.announce(writes, self, timestamp) } -> std::same_as<void>;
  { journal.prepare_part(writes) } -> std::same_as<LogResult>;
  { journal.prepared() } -> std::same_as<const SegmentHeader&>;
  { journal.append_part(writes, timestamp) } -> std::same_as<typename J::Position>;
};

/// The journal of an algorithm that stores in place: each old value is appended, and awaited, before the store.
template <class J>
concept UndoJournal = requires(J journal, const NothingCaptured& captured, std::uint64_t* word) {
  { journal.write(word, *word) } -> std::same_as<LogResult>;
  { journal.complete(captured) } -> std::same_as<void>;
  { journal.retire() } -> std::same_as<void>;
  { journal.withdraw() } -> std::same_as<void>;
  { journal.release() } -> std::same_as<void>;
};

}  // namespace perdure::log

#endif
