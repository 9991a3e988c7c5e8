#ifndef PERDURE_LOG_UNDO_OVER_POOLS_H
#define PERDURE_LOG_UNDO_OVER_POOLS_H

#include <cstdint>
#include <deque>

#include "log/two_phase_commit.h"
#include "log/undo_log.h"
#include "persist/domain.h"
#include "pool/window.h"

namespace perdure::log {

/// The undo logs of a transaction that writes to several pools: the one that it began with, and one for each further
/// pool. Rare, so it may take its time.
///
/// What can fail is done with the first write to a pool, the place of the decision included, so that the commit cannot.
template <class Entry>
class UndoOverPools {
 public:
  using Log = UndoLog<Entry>;

  UndoOverPools() = default;
  UndoOverPools(const UndoOverPools&) = delete;
  UndoOverPools& operator=(const UndoOverPools&) = delete;
  ~UndoOverPools() {
    clear();
    two_phase_commit_.release();
  }

  bool is_active() const { return two_phase_commit_.is_active(); }

  /// The log for what lies at `address`, in another pool than `first`, the log that the transaction began with.
  /// \returns null, and in `result` what is in the way.
  Log* log_for(const void* address, Log& first, LogResult& result) {
    const std::size_t slot = pool::slot_of(address);
    for (Further& further : further_)
      if (further.slot == slot) return &further.log;
    if (!is_active()) {
      first_ = &first;
      result = two_phase_commit_.join(first.heap());
      if (result != LogResult::written) return nullptr;
    }
    result = two_phase_commit_.join(*alloc::heap_of(address));
    if (result != LogResult::written) return nullptr;
    return &further_.emplace_back(slot).log;
  }

  /// Everything the transaction leaves in memory has been flushed. Ends all logs at once.
  void commit() {
    two_phase_commit_.prepare_all([this](auto&& function) { this->for_each_log(function); });
    two_phase_commit_.decide_and_finish([this] { end_logs(); });
    clear();
  }

  /// Memory is as it was, durably, and no log counts any more.
  void roll_back() {
    for_each_log([](Log& log) { log.restore(); });
    persistence::fence();  // what memory holds, before the logs end
    end_logs();
    two_phase_commit_.abandon();
    clear();
  }

 private:
  struct Further {
    explicit Further(std::size_t slot) : slot(slot) {}
    std::size_t slot;
    Log log;
  };

  template <class Function>
  void for_each_log(Function&& function) {
    function(*first_);
    for (Further& further : further_)
      if (further.log.is_active()) function(further.log);
  }

  void end_each_log() {
    for_each_log([](Log& log) { log.end(); });
  }
  void end_logs() {
    end_each_log();
    persistence::fence();  // until no log counts any more, durably, nobody may change what they would restore
    for_each_log([](Log& log) { log.forget(); });
  }

  void clear() {
    for (Further& further : further_) further.log.release();
    further_.clear();
    two_phase_commit_.leave();
  }

  Log* first_ = nullptr;
  std::deque<Further> further_;
  TwoPhaseCommit two_phase_commit_;
};

}  // namespace perdure::log

#endif
