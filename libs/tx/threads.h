#ifndef PERDURE_TX_THREADS_H
#define PERDURE_TX_THREADS_H

#include <new>

#include "pool/private_mappings.h"
#include "sched/hourglass.h"
#include "sched/sole_thread.h"
#include "tx/abort.h"
#include "tx/algorithm.h"
#include "tx/runner.h"
#include "tx/thread_context.h"

namespace perdure::tx {

/// What a transaction does at its thread's beginning and end, and at a fork. A part of the transaction, which befriends
/// it.
template <class Transaction, Algorithm A>
class Threads {
 public:
  /// The thread's first transaction.
  [[gnu::noinline]] static void join(Transaction& transaction) {
    static constexpr ThreadHooks hooks = {.leave = leave,
                                          .is_running = is_running,
                                          .abandon = abandon,
                                          .begin_anew = begin_anew,
                                          .leave_body = leave_body};
    transaction.context_.join(&transaction, hooks);
    transaction.solitude_.join(transaction.context_.slot());
    transaction.stack_ = Stack::of_this_thread();
  }

  /// The process was forked while pools were open. The thread joins for one transaction only, so that the others, in
  /// other processes, need not ask.
  template <void (Transaction::*run_joined)(Operation)>
  [[gnu::noinline]] static void run_in_forked_child(Transaction& transaction, Operation operation) {
    struct Joined {
      explicit Joined(Transaction& transaction) : transaction(transaction) { join(transaction); }
      Joined(const Joined&) = delete;
      Joined& operator=(const Joined&) = delete;
      ~Joined() { transaction.context_.leave(); }
      Transaction& transaction;
    };
    const Joined joined(transaction);
    BodyInChild in_child{operation, transaction};
    (transaction.*run_joined)({BodyInChild::run, &in_child});
  }

 private:
  static Transaction& transaction_at(void* self) { return *static_cast<Transaction*>(self); }

  static void leave(void* self) { transaction_at(self).release(); }
  static bool is_running(const void* self) { return static_cast<const Transaction*>(self)->is_running_; }

  static void abandon(void* self, pool::PrivateMappings& memory) { transaction_at(self).algorithm_.abandon(memory); }

  /// What this thread has at hand may be of pools, which are its parent's, so it is left where it is.
  static void begin_anew(void* self) {
    A::forget_threads();
    sched::hourglass.forget_threads();
    sched::sole_thread.forget_threads();
    if (self != nullptr) new (self) Transaction;
  }

  static void leave_body(void* self) {
    if (!is_running(self)) return;
    if constexpr (WritesAtCommit<A>)
      if (transaction_at(self).algorithm_.is_writing_back()) return;
    abort(CommitResult::pool_of_parent);
  }

  /// A body that must not use pools.
  struct BodyInChild {
    Operation operation;
    Transaction& transaction;

    static void run(void* self) {
      const auto& [operation, transaction] = *static_cast<BodyInChild*>(self);
      operation();
      if constexpr (WritesAtCommit<A>)
        if (transaction.algorithm_.has_written_to_pool()) abort(CommitResult::pool_of_parent);
    }
  };
};

}  // namespace perdure::tx

#endif
