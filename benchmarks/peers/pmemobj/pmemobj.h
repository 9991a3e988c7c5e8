#ifndef PERDURE_BENCHMARKS_PEERS_PMEMOBJ_H
#define PERDURE_BENCHMARKS_PEERS_PMEMOBJ_H

#include <libpmemobj.h>

#include <cerrno>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <new>

#include "algorithms/one_at_a_time.h"
#include "log/write_set.h"
#include "opened_pool.h"
#include "persist/domain.h"
#include "stats/counters.h"
#include "tx/algorithm.h"
#include "tx/transaction.h"

namespace perdure::tx {
template <class Mode>
class PmemobjTransaction;
}

namespace perdure::algorithms {

/// The peer to compare with: libpmemobj's transactions under one lock, which does not isolate threads itself. The
/// plugin makes the calls that a programmer would write: a range is added to the transaction before it is changed, and
/// objects are allocated and freed through it.
///
/// In its favour: a range is a whole chunk of 32 bytes, added once in a transaction (with its header it fits into one
/// line of libpmemobj's log, so a smaller one costs as much, and fields that lie together cost one); a block that was
/// just allocated is written as it is; a transaction that only reads takes the lock and nothing else; and pointers are
/// native ones.
template <class ModeType>
class Pmemobj : public OneAtATime {
 public:
  using Mode = ModeType;
  using Runner = tx::PmemobjTransaction<Mode>;

  constexpr Pmemobj() = default;

  template <tx::Memory, class T>
  void write(T* address, T value) {
    const std::uintptr_t chunk = Ranges::chunk_of(address);
    if (added_.find(chunk) == nullptr) add(chunk);
    *address = value;
  }

  void* allocate(std::size_t bytes) {
    begin_changes();
    constexpr std::uint64_t type_number = 1;
    const PMEMoid object = pmemobj_tx_xalloc(bytes, type_number, POBJ_XALLOC_NO_ABORT);
    return OID_IS_NULL(object) ? nullptr : pmemobj_direct(object);
  }

  void free(void* block) {
    begin_changes();
    require(pmemobj_tx_free(pmemobj_oid(block)));
  }

  template <class Captured>
  tx::CommitResult commit(sched::ThreadSlot&, const Captured&) {
    const bool wrote = has_begun_;
    if (wrote) pmemobj_tx_commit();
    end();
    return wrote ? tx::CommitResult::committed : tx::CommitResult::read_only;
  }

  void roll_back(sched::ThreadSlot&) {
    if (has_begun_ && pmemobj_tx_stage() == TX_STAGE_WORK) pmemobj_tx_abort(ECANCELED);
    end();
  }

  void release() { added_.release(); }

 private:
  struct Range {
    static constexpr std::size_t chunk_bytes = 32;
    std::uint64_t address;
  };
  using Ranges = log::WriteSet<Range>;

  static void require(int error) {
    if (error != 0) throw std::bad_alloc();
  }

  void begin_changes() {
    if (has_begun_) [[likely]]
      return;
    require(pmemobj_tx_begin(peers::opened_pool.handle, nullptr, TX_PARAM_NONE));
    has_begun_ = true;
  }

  void add(std::uintptr_t chunk) {
    begin_changes();
    added_.insert(chunk);
    require(pmemobj_tx_add_range_direct(reinterpret_cast<const void*>(chunk), Range::chunk_bytes));
  }

  void end() {
    if (has_begun_) pmemobj_tx_end();
    has_begun_ = false;
    added_.clear();
    unlock();
  }

  Ranges added_;
  bool has_begun_ = false;
};

}  // namespace perdure::algorithms

namespace perdure::tx {

/// Memory is libpmemobj's, so its pool takes the place of the window, and its allocator that of the heap. Nothing
/// conflicts, so nothing is tried again; locals are not rolled back, as under the yardsticks.
template <class Mode>
class PmemobjTransaction {
 public:
  constexpr PmemobjTransaction() = default;

  void run(Operation operation) {
    if (is_running_) return operation();
    static constexpr ThreadHooks hooks = {
        .leave = [](void* self) { static_cast<PmemobjTransaction*>(self)->release(); },
        .is_running = [](const void*) { return false; },
        .abandon = [](void*, pool::PrivateMappings&) {},  // no workload forks
        .begin_anew = [](void*) {},
        .leave_body = [](void*) {}};
    if (!context_.is_joined()) context_.join(this, hooks);
    algorithm_.begin(context_.slot());
    is_running_ = true;
    try {
      operation();
    } catch (...) {
      algorithm_.roll_back(context_.slot());
      stats::counters.count_abort(stats::AbortReason::exception);
      finish();
      throw;
    }
    const bool wrote = algorithm_.commit(context_.slot(), captured_) == CommitResult::committed;
    (wrote ? stats::counters.commits : stats::counters.read_only_commits).add(1);
    finish();
  }

  /// One lock keeps everybody else out.
  void run_serially(Operation operation) { run(operation); }
  void become_serial() {}
  bool is_serial() const { return is_running_; }

  template <class T>
  T read(const T* address) {
    return *address;
  }

  template <class T>
  void write(T* address, T value) {
    if (!peers::opened_pool.contains(address) || captured_.is_in_last(address))
      *address = value;
    else
      algorithm_.template write<Memory::pool>(address, value);
  }

  bool is_captured(const void* address, std::size_t bytes) const { return captured_.is_in_last(address, bytes); }
  bool may_write_directly(const void* address, std::size_t bytes) const { return is_captured(address, bytes); }
  bool is_running() const { return is_running_; }
  ExceptionState& exceptions() { return exceptions_; }
  bool is_own(const void*) const { return false; }
  /// The workloads register none.
  Handlers& handlers() { return handlers_; }

  // What the ABI asks of a transaction's memory.
  PmemobjTransaction& memory() { return *this; }
  const Captured& captured() const { return captured_; }
  /// Only checked builds ask, and libpmemobj tells of wrong frees itself.
  template <class Function>
  void for_each_freed(Function&&) const {}

  /// libpmemobj aligns to 16 bytes, which is what the processor needs of any type here.
  void* allocate(std::size_t bytes, std::size_t) {
    void* const block = algorithm_.allocate(bytes);
    if (block != nullptr) captured_.add(block, bytes);
    return block;
  }

  void free(void* block) {
    if (peers::opened_pool.contains(block))
      algorithm_.free(block);
    else
      std::free(block);
  }

  /// libpmemobj flushes what a transaction has allocated.
  void written_directly(void*) {}
  void use_bytes(void*, std::size_t) {}
  /// Reads are plain loads, one by one.
  bool read_stripe(void*, const void*, std::size_t) { return false; }
  /// Nothing conflicts under one lock, and after an exception the workloads do not look at the locals it passed by.
  void save_local(void*, std::size_t) {}

  void release() {
    captured_.release();
    algorithm_.release();
    exceptions_.release();
  }

 private:
  void finish() {
    is_running_ = false;
    captured_.clear();
    exceptions_.end();
  }

  algorithms::Pmemobj<Mode> algorithm_;
  Captured captured_;
  Handlers handlers_;
  ThreadContext context_;
  ExceptionState exceptions_;
  bool is_running_ = false;
};

}  // namespace perdure::tx

#endif
