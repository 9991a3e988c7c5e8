#ifndef PERDURE_STORES_LEVELDB_READERS_H
#define PERDURE_STORES_LEVELDB_READERS_H

#include <atomic>
#include <cstddef>
#include <map>
#include <mutex>
#include <vector>

#include "cell.h"

namespace perdure::stores {

struct Retained;

/// Who looks at the past: the stamps of snapshots and iterators, and which old versions are there for them alone. It
/// lies in ordinary memory, so a crash forgets them.
///
/// A writer asks, in its transaction and after it has read Tree::now, whether anybody needs what it replaces. It sees
/// all stamps before `now`: whoever adds a stamp does so before the transaction that makes `now` greater. Of one that
/// is just being added, it sees the change of `now`, and begins again.
class Readers {
 public:
  /// Adds a reader of this moment. \returns false, and adds none, if nobody is known at it and `join` is asked for.
  enum class How { join, begin };
  bool add(Stamp stamp, How how);

  /// One reader less. The moment stays known, until a writer comes by that would have to keep something for it, so that
  /// the next reader of the same moment finds it.
  /// \returns what was kept for this moment alone, to be freed, if that was its last reader.
  std::vector<Retained*> remove(Stamp stamp);

  /// Whether somebody sees what was written with the stamp `older` and replaced with the stamp `newer`.
  /// \returns the latest such moment; 0: nobody.
  Stamp latest_between(Stamp older, Stamp newer);

  /// What was kept for that moment. \returns false if nobody is there any more: it is to be freed.
  bool keep(Stamp stamp, Retained* retained);

  std::size_t kept() const { return kept_.load(std::memory_order_relaxed); }
  std::size_t readers() const;

  /// Held by who begins a moment, over its transactions, so that there is one at a time.
  std::mutex& beginning() { return beginning_; }

 private:
  struct Moment {
    std::size_t readers = 0;
    std::vector<Retained*> kept;
  };

  std::mutex beginning_;
  mutable std::mutex mutex_;  // never held over a transaction: transactions wait for it
  std::map<Stamp, Moment> moments_;
  std::atomic<std::size_t> known_{0};  // moments; read by writers without the lock: see above why that is not too early
  std::atomic<std::size_t> kept_{0};
};

/// The same for transactions.
PERDURE_PURE Stamp latest_reader_between(Readers& readers, Stamp older, Stamp newer);

}  // namespace perdure::stores

#endif
