#ifndef PERDURE_TX_READS_H
#define PERDURE_TX_READS_H

#include "log/shared_memory.h"
#include "pool/window.h"
#include "tx/abort.h"
#include "tx/algorithm.h"

namespace perdure::tx {

/// What a read of a transaction is, from the most frequent case to the rarest: a part of tx::Transaction.
template <class Transaction, Algorithm A>
class Reads {
 public:
  /// Inlined at link time: what is read before the first write takes hardly more than a load, by a sole thread, under
  /// one lock, and in a copy.
  template <class T>
  T read(const T* address) {
    if constexpr (KnowsWhereItReads<A>)
      if (self().memory_.has_only_read() && self().algorithm_.knows(address)) [[likely]]
        return self().algorithm_.read_known(address);
    if (!pool::in_window(address)) [[unlikely]]
      return read_outside(address);
    if constexpr (A::traits.reads_are_loads) return *address;
    if constexpr (A::traits.one_at_a_time && ReadsUnwritten<A>)
      if (self().memory_.has_only_read()) [[likely]]
        return self().algorithm_.read_unwritten(address);
    if constexpr (RunsAsSoleThread<A>) {
      const T value = log::load_shared(address);  // acquire: before the look at the claim
      if (self().memory_.has_only_read_alone()) [[likely]]
        return value;
    }
    return read_from_pool(address);
  }

 protected:
  /// Most transactions look first and write then. Until they do, nothing is captured, and nothing is in a log.
  template <class T>
  [[gnu::noinline]] T read_from_pool(const T* address) {
    if constexpr (ReadsUnwritten<A>)
      if (self().memory_.has_only_read()) [[likely]]
        return self().algorithm_.read_unwritten(address);
    return read_behind_writes(address);
  }

  template <class T>
  [[gnu::noinline]] T read_outside(const T* address) {
    if (self().is_private(address)) return *address;
    if (!self().stack_.contains(checkpoint.stack_pointer, address)) self().announce_other_memory();
    return self().algorithm_.template read<Memory::other>(address);
  }

 private:
  friend Transaction;
  constexpr Reads() = default;

  /// Out of line, so that what is read before the first write needs no frame.
  template <class T>
  [[gnu::noinline]] T read_behind_writes(const T* address) {
    if (self().is_directly_accessible(address) && !self().reads_by_algorithm()) return *address;
    return self().algorithm_.template read<Memory::pool>(address);
  }

  Transaction& self() { return static_cast<Transaction&>(*this); }
};

}  // namespace perdure::tx

#endif
