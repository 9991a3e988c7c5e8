#ifndef PERDURE_BENCHMARKS_PEERS_PMEMOBJ_FINE_FINE_TRANSACTION_H
#define PERDURE_BENCHMARKS_PEERS_PMEMOBJ_FINE_FINE_TRANSACTION_H

#include <libpmemobj.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <new>
#include <span>
#include <stdexcept>
#include <type_traits>

#include "in_pool.h"

namespace perdure::peers {

/// A transaction of libpmemobj with locks of its own: they lie in the pool beside the data, and what is locked stays so
/// until the transaction has ended.
///
/// In libpmemobj's favour: one that changes nothing takes its locks and nothing else; what is added to the undo log is
/// what is written, and no more; a block that was just allocated is written as it is. Locks are taken by
/// `pmemobj_mutex_lock` and its like: `pmemobj_tx_lock`, which holds them as long, allocates memory for each, and looks
/// through all that are held.
class FineTransaction {
 public:
  FineTransaction() { current_ = this; }
  FineTransaction(const FineTransaction&) = delete;
  FineTransaction& operator=(const FineTransaction&) = delete;

  /// Rolls back what was not committed.
  ~FineTransaction() {
    if (has_begun_) {
      if (pmemobj_tx_stage() == TX_STAGE_WORK) pmemobj_tx_abort(ECANCELED);
      pmemobj_tx_end();
    }
    while (held_count_ > 0) unlock(held_[--held_count_]);
    current_ = nullptr;
  }

  /// The one that this thread runs.
  static FineTransaction& current() { return *current_; }

  void commit() {
    if (has_begun_) pmemobj_tx_commit();
  }

  void lock(PMEMmutex& mutex) { take({&mutex, nullptr}, pmemobj_mutex_lock, mutex); }
  void lock(PMEMrwlock& lock) { take({nullptr, &lock}, pmemobj_rwlock_wrlock, lock); }
  void lock_shared(PMEMrwlock& lock) { take({nullptr, &lock}, pmemobj_rwlock_rdlock, lock); }

  /// Several, in the order of their addresses: libpmemobj does not notice when transactions wait for each other.
  /// \param locks  is put in order; may name one twice.
  template <class Lock>
  void lock_all(std::span<Lock*> locks) {
    std::sort(locks.begin(), locks.end());
    const Lock* last = nullptr;
    for (Lock* const next : locks) {
      if (next != last) lock(*next);
      last = next;
    }
  }

  /// Changes a value in the pool.
  template <class T>
  void set(T& place, const std::type_identity_t<T>& value) {
    add(&place, sizeof place);
    place = value;
  }

  /// Bytes of the pool that are about to be changed.
  void add(const void* first, std::size_t bytes) {
    begin_changes();
    require(pmemobj_tx_add_range_direct(first, bytes));
  }

  template <class T>
  T* make(const T& value) {
    static_assert(alignof(T) <= alignment);
    return new (allocate(sizeof(T), 0)) T(value);
  }

  /// Zeroed bytes that begin with a line, for locks and what holds them. Nobody frees them.
  void* allocate_lines(std::size_t bytes) {
    const auto block = reinterpret_cast<std::uintptr_t>(allocate(bytes + line - 1, POBJ_XALLOC_ZERO));
    return reinterpret_cast<void*>((block + line - 1) / line * line);
  }

  void free(const void* block) {
    begin_changes();
    require(pmemobj_tx_free(pmemobj_oid(block)));
  }

 private:
  struct Held {
    PMEMmutex* mutex;  // or null, and
    PMEMrwlock* rwlock;

    bool operator==(const Held&) const = default;
  };

  static constexpr std::size_t most_held = 4096;
  static constexpr std::size_t few_held = 4;
  static constexpr std::size_t alignment = 16;  // of libpmemobj's blocks
  static constexpr std::size_t line = 64;

  static void require(int error) {
    if (error != 0) throw std::bad_alloc();
  }

  void begin_changes() {
    if (has_begun_) return;
    require(pmemobj_tx_begin(opened_pool.handle, nullptr, TX_PARAM_NONE));
    has_begun_ = true;
  }

  void* allocate(std::size_t bytes, std::uint64_t flags) {
    begin_changes();
    constexpr std::uint64_t type_number = 1;
    const PMEMoid object = pmemobj_tx_xalloc(bytes, type_number, flags | POBJ_XALLOC_NO_ABORT);
    if (OID_IS_NULL(object)) throw std::bad_alloc();
    return reinterpret_cast<void*>(opened_pool.base + object.off);
  }

  // Of few locks one may be taken again; many are taken by `lock_all`, in which each is another.
  template <class Lock>
  void take(Held wanted, int (*acquire)(PMEMobjpool*, Lock*), Lock& lock) {
    const std::span held(held_.data(), held_count_);
    if (held_count_ <= few_held && std::find(held.begin(), held.end(), wanted) != held.end()) return;
    if (held_count_ == held_.size()) throw std::length_error("a transaction wants too many locks");
    if (acquire(opened_pool.handle, &lock) != 0) throw std::runtime_error("libpmemobj refuses a lock");
    held_[held_count_++] = wanted;
  }

  static void unlock(const Held& held) {
    if (held.mutex != nullptr)
      pmemobj_mutex_unlock(opened_pool.handle, held.mutex);
    else
      pmemobj_rwlock_unlock(opened_pool.handle, held.rwlock);
  }

  static thread_local constinit inline FineTransaction* current_ = nullptr;

  bool has_begun_ = false;
  std::size_t held_count_ = 0;
  std::array<Held, most_held> held_;  // not initialised: it is large
};

}  // namespace perdure::peers

#endif
