#ifndef PERDURE_TX_LEAVING_EXCEPTIONS_H
#define PERDURE_TX_LEAVING_EXCEPTIONS_H

#include <cstddef>

#include "log/shared_memory.h"
#include "pool/window.h"
#include "stats/counters.h"
#include "tx/algorithm.h"
#include "tx/exception_blocks.h"

namespace perdure::tx {

/// Exceptions that leave a transaction, or a part of it, with what they own (tx/exception_blocks.h): a part of
/// tx::Transaction.
template <class Transaction, Algorithm A>
class LeavingExceptions {
 protected:
  constexpr LeavingExceptions() = default;

  [[gnu::noinline]] void roll_back_before_exception() {
    ExceptionBlocks kept;
    collect_exception_blocks(0, kept);
    self().roll_back(stats::AbortReason::exception, &kept);
    kept.remember();
    kept.restore([](auto* address, auto value) { log::store_shared(address, value); });
  }

  /// \param first  of the blocks that are about to be undone.
  void collect_exception_blocks(std::size_t first, ExceptionBlocks& kept) {
    if (self().memory_.captured().size() == first || self().exceptions_.objects() == 0) return;
    kept.collect(self().exceptions_, self().memory_.captured(), first,
                 [this](const auto* address) { return this->read_own(address); });
  }

 private:
  /// In a block that the transaction has allocated.
  template <class T>
  T read_own(const T* address) {
    if constexpr (!ReadsOwn<A>)
      return log::load_shared(address);
    else if (pool::in_window(address))
      return self().algorithm_.template read_own<Memory::pool>(address);
    else
      return self().algorithm_.template read_own<Memory::other>(address);
  }

  Transaction& self() { return static_cast<Transaction&>(*this); }
};

}  // namespace perdure::tx

#endif
