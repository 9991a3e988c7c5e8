#ifndef PERDURE_TX_NESTED_PARTS_H
#define PERDURE_TX_NESTED_PARTS_H

#include <cstddef>
#include <cstdint>

#include "pool/window.h"
#include "tx/abort.h"
#include "tx/algorithm.h"
#include "tx/checkpoint.h"
#include "tx/exception_state.h"
#include "tx/failure.h"
#include "tx/handlers.h"
#include "tx/memory_manager.h"
#include "tx/old_values.h"
#include "tx/part_results.h"
#include "tx/stack.h"
#include "tx/static_initialisation.h"

namespace perdure::tx {

/// Parts of a transaction that can be undone alone (closed nesting; Harris et al., “Composable Memory Transactions”,
/// PPoPP'05, section 3.4): a part of tx::Transaction, whatever its algorithm.
///
/// In a nested part each write notes first what it overwrites, as the transaction sees it; to undo the part is to write
/// that again, newest first. So the algorithm need not know, be it that it keeps new values or old ones: what a part
/// has read stays among what must be valid at commit, which it must be, since the rest depends on it.
///
/// Invariant: in a nested part nothing in memory is accessed past the algorithm but frames, exceptions in flight, and
/// what a serial transaction sees. The last block allocated before is so no more, also after the part: what the part
/// wrote there may be in a log.
template <class Transaction>
class NestedParts {
 public:
  /// Runs `body(closure)` as a nested part. \returns what that returned: undone, if it is not 0; or
  /// `part_retried`: it has called `retry`, and is undone. An exception undoes it and goes on.
  int run_part(int (*body)(void*), void* closure) {
    require_nestable();
    Part part;
    begin(part);
    Call call{body, closure, 0};
    int left = 0;
    try {
      left = perdure_call_with_checkpoint(&part.checkpoint, Call::run, &call);
    } catch (...) {
      undo_before_exception(part);
      throw;
    }
    if (left != 0) return part_retried;  // undone already
    if (call.result != 0)
      undo(part);
    else
      keep(part);
    return call.result;
  }

  /// Code that is not instrumented is about to change an object in the transaction's frames.
  void note_other_change(const void* object, const char* place) {
    if (is_in_part() && !dies_with_part(object) && self().is_own(object)) innermost_->other_change.widen(object, place);
  }

 protected:
  /// A transaction begins in this one. In the initialiser of a static variable it cannot be a part of it: what that
  /// does is not rolled back.
  void require_nestable() {
    if (static_initialisation.is_running()) [[unlikely]]
      refuse_transaction_in_initialiser();
    if (self().stack_.is_another_below(checkpoint.stack_pointer)) [[unlikely]]
      refuse_transaction_in_another();
  }

  bool is_in_part() const { return innermost_ != nullptr; }

  /// Frames and exceptions of the innermost part.
  bool dies_with_part(const void* address) {
    return is_in_frame_since(innermost_->checkpoint.stack_pointer, address) || self().exceptions_.is_in_object(address);
  }

  template <class T>
  void note_old(T* address, T value) {
    old_values_.note(address, value);
  }

  /// Leaves the innermost part, which is undone: below its frames, which hold nothing that is written back.
  [[noreturn]] void retry_part() {
    Part& part = *innermost_;
    undo(part);
    self().exceptions_.go_back_to(part.exceptions);
    self().handlers_.free_blocks_since(part.handlers);  // of exceptions that never happened
    perdure_restore(&part.checkpoint, part_retried);
  }

  /// The transaction is rolled back as a whole.
  void forget_parts() {
    innermost_ = nullptr;
    old_values_.clear();
  }

  void release_parts() { old_values_.release(); }

 private:
  friend Transaction;
  constexpr NestedParts() = default;

  /// What cannot be undone: of the objects that were so changed the one in the frame of the outermost caller.
  struct OtherChange {
    const void* object = nullptr;
    const char* place = nullptr;

    void widen(const void* changed, const char* by) {
      if (changed > object) *this = {changed, by};
    }
  };

  /// How things were when it began.
  struct Part {
    Part* outer = nullptr;
    Checkpoint checkpoint;
    OtherChange other_change;
    std::size_t old_values = 0;
    std::size_t locals = 0;
    MemoryMark memory;
    ExceptionState::Mark exceptions;
    Handlers::Mark handlers;
    std::size_t additions = 0;
  };

  struct Call {
    int (*body)(void*);
    void* closure;
    int result;

    static void run(void* self) {
      Call& call = *static_cast<Call*>(self);
      call.result = call.body(call.closure);
    }
  };

  void begin(Part& part) {
    part.outer = innermost_;
    part.old_values = old_values_.size();
    part.locals = self().saved_locals_.size();
    part.memory = self().memory_.mark();
    part.exceptions = self().exceptions_.mark();
    part.handlers = self().handlers_.mark();
    part.additions = self().additions();
    innermost_ = &part;
    self().begin_parts();
  }

  /// The part stays. Its frames are gone then, so of what it noted for the one around it only the rest counts.
  void keep(Part& part) {
    if (part.outer != nullptr) {
      const auto dies_with_outer = [&](const void* address) {
        return is_in_frame_since(part.outer->checkpoint.stack_pointer, address);
      };
      old_values_.forget_since(part.old_values, dies_with_outer);
      if (!dies_with_outer(part.other_change.object))
        part.outer->other_change.widen(part.other_change.object, part.other_change.place);
    }
    leave(part);
  }

  [[gnu::noinline]] void undo_before_exception(Part& part) {
    ExceptionBlocks kept;
    self().collect_exception_blocks(part.memory.allocated, kept);
    undo(part, &kept);
    kept.restore([this](auto* address, auto value) { this->put_back(address, value); });
  }

  void undo(Part& part, const ExceptionBlocks* kept = nullptr) {
    if (part.other_change.object != nullptr) refuse_undo(part.other_change.place);
    old_values_.write_back_since(part.old_values,
                                 [this](auto* address, auto value) { this->put_back(address, value); });
    self().saved_locals_.restore_since(part.locals);
    self().memory_.undo_since(part.memory, kept);
    self().handlers_.forget_since(part.handlers);
    self().forget_additions_since(part.additions);
    leave(part);
  }

  template <class T>
  void put_back(T* address, T value) {
    if (pool::in_window(address))
      self().template put<Memory::pool>(address, value);
    else
      self().template put<Memory::other>(address, value);
  }

  void leave(Part& part) {
    innermost_ = part.outer;
    if (innermost_ != nullptr) return;
    old_values_.clear();
    self().end_parts();
  }

  Transaction& self() { return static_cast<Transaction&>(*this); }

  Part* innermost_ = nullptr;
  OldValues old_values_;
};

}  // namespace perdure::tx

#endif
