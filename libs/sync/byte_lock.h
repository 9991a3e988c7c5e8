#ifndef PERDURE_SYNC_BYTE_LOCK_H
#define PERDURE_SYNC_BYTE_LOCK_H

#include <array>
#include <atomic>
#include <bit>
#include <cstddef>
#include <cstdint>

namespace perdure::sync {

/// Who a thread is to byte locks: one of the numbered readers, or one of those beyond.
class ReaderSlot {
 public:
  constexpr ReaderSlot() = default;
  constexpr explicit ReaderSlot(unsigned number) : number_(number) {}

  static constexpr unsigned count = 48;
  bool is_numbered() const { return number_ < count; }
  unsigned number() const { return number_; }

 private:
  unsigned number_ = count;
};

/// Gives the numbers out, to the first threads that ask.
class ReaderSlots {
 public:
  ReaderSlot acquire() {
    std::uint64_t taken = taken_.load(std::memory_order_relaxed);
    while (taken != all) {
      const auto number = static_cast<unsigned>(std::countr_one(taken));
      // Acquire: the locks of the thread that had the number before are seen released.
      if (!taken_.compare_exchange_weak(taken, taken | bit(number), std::memory_order_acquire)) continue;
      unsigned limit = limit_.load(std::memory_order_relaxed);
      while (limit <= number && !limit_.compare_exchange_weak(limit, number + 1, std::memory_order_seq_cst)) continue;
      return ReaderSlot(number);
    }
    return {};
  }

  /// All numbers that were ever given out are smaller. Sequentially consistent: a writer that reads a limit which
  /// leaves a reader out does so before the reader's first lock, and so is seen by it.
  unsigned limit() const { return limit_.load(std::memory_order_seq_cst); }

  void release(ReaderSlot slot) {
    if (slot.is_numbered()) taken_.fetch_and(~bit(slot.number()), std::memory_order_release);
  }

 private:
  static constexpr std::uint64_t bit(unsigned number) { return std::uint64_t{1} << number; }
  static constexpr std::uint64_t all = (std::uint64_t{1} << ReaderSlot::count) - 1;
  std::atomic<std::uint64_t> taken_{0};
  std::atomic<unsigned> limit_{0};
};

inline constinit ReaderSlots reader_slots;

/// A readers/writer lock whose readers each have a byte of their own, so that taking and giving up a read lock needs no
/// read-modify-write of something shared. (Dice & Shavit, "TLRW: return of the read-write lock", SPAA'10.) Threads
/// beyond the numbered ones share a counter.
///
/// Exclusion: a reader announces itself and then looks for an owner; a writer makes itself the owner and then looks for
/// readers. Both steps are sequentially consistent, so at least one sees the other.
class alignas(64) ByteLock {
 public:
  bool is_owned_by(const void* transaction) const { return owner().load(std::memory_order_relaxed) == transaction; }

  bool is_read_by(ReaderSlot slot) const {
    return slot.is_numbered() && byte_of(slot).load(std::memory_order_relaxed) != 0;
  }

  /// Ends with a locked instruction, or follows one. \returns false if a writer has the lock.
  bool try_read(ReaderSlot slot) {
    if (slot.is_numbered())
      byte_of(slot).exchange(1, std::memory_order_seq_cst);
    else
      other_readers().fetch_add(1, std::memory_order_seq_cst);
    if (owner().load(std::memory_order_seq_cst) == nullptr) [[likely]]
      return true;
    end_read(slot);
    return false;
  }

  /// Release: a writer that sees no reader comes after what the reader read.
  void end_read(ReaderSlot slot) {
    if (slot.is_numbered())
      byte_of(slot).store(0, std::memory_order_release);
    else
      other_readers().fetch_sub(1, std::memory_order_release);
  }

  /// A locked instruction. Afterwards no new reader gets in; those inside have to be waited for.
  bool try_own(const void* transaction) {
    const void* nobody = nullptr;
    return owner().compare_exchange_strong(nobody, transaction, std::memory_order_seq_cst);
  }

  /// There are no threads any more that share the counter.
  void forget_other_readers() {
    if (other_readers().load(std::memory_order_relaxed) != 0) other_readers().store(0, std::memory_order_relaxed);
  }

  void end_own() { owner().store(nullptr, std::memory_order_release); }

  /// Whether there are readers but `self`, which holds a read lock if `self_reads`.
  bool has_other_readers(ReaderSlot self, bool self_reads) const {
    for (unsigned number = 0, limit = reader_slots.limit(); number < limit; ++number)
      if (shared(readers_[number]).load(std::memory_order_seq_cst) != 0 && number != self.number()) return true;
    const std::uint64_t own = !self.is_numbered() && self_reads ? 1 : 0;
    return other_readers().load(std::memory_order_seq_cst) != own;
  }

 private:
  // Plain words, accessed atomically: a million std::atomic cannot be constant-initialised.
  template <class T>
  static std::atomic_ref<T> shared(const T& word) {
    return std::atomic_ref(const_cast<T&>(word));
  }
  std::atomic_ref<const void*> owner() const { return shared(owner_); }
  std::atomic_ref<std::uint64_t> other_readers() const { return shared(other_readers_); }
  std::atomic_ref<std::uint8_t> byte_of(ReaderSlot slot) const { return shared(readers_[slot.number()]); }

  const void* owner_;
  std::uint64_t other_readers_;
  std::array<std::uint8_t, ReaderSlot::count> readers_;
};
static_assert(sizeof(ByteLock) == 64, "a lock is one line");

/// Maps each 32-byte stripe of memory to a byte lock. Static and trivial, so it is zero before anything runs, and its
/// pages cost nothing until used.
class ByteLockTable {
 public:
  static constexpr std::size_t stripe_bytes = 32;
  static constexpr std::size_t size = std::size_t{1} << 20;

  ByteLock& of(const void* address) {
    return locks_[(reinterpret_cast<std::uintptr_t>(address) / stripe_bytes) % size];
  }

  void forget_other_readers() {
    for (ByteLock& lock : locks_) lock.forget_other_readers();
  }

 private:
  std::array<ByteLock, size> locks_;
};

inline ByteLockTable byte_lock_table;

}  // namespace perdure::sync

#endif
