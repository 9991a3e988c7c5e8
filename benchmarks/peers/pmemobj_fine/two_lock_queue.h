#ifndef PERDURE_BENCHMARKS_PEERS_PMEMOBJ_FINE_TWO_LOCK_QUEUE_H
#define PERDURE_BENCHMARKS_PEERS_PMEMOBJ_FINE_TWO_LOCK_QUEUE_H

#include <string>
#include <vector>

#include "logged.h"
#include "queue/workload.h"

namespace perdure::benchmarks::fine {

using peers::FineTransaction;
using peers::InPool;
using peers::Logged;

/// A linked queue over libpmemobj, with the interface of LinkedQueue, and a lock for each end (Michael and Scott,
/// PODC'96). Before the oldest item there is one that was taken out already, so that the ends meet in no pointer but
/// the `next` of the last item.
///
/// That one must not be followed while it is not committed: the item that it leads to would be taken out, durably, and
/// then perhaps rolled back, with its allocation, by a crash. So the front knows up to which number items are
/// committed, as the back told it, under its lock, when it last asked. It asks where it knows of no further item.
class TwoLockQueue {
 public:
  TwoLockQueue() : TwoLockQueue(InPool<Item>(FineTransaction::current().make(Item{}))) {}

  /// Adds an item.
  void enqueue() {
    auto& transaction = FineTransaction::current();
    transaction.lock(back_.lock);
    const InPool<Item> last = back_.last;
    const InPool<Item> item(transaction.make(Item{{}, last->number + 1}));
    last->next = item;
    back_.last = item;
  }

  /// Takes the oldest item out.
  /// \returns its number; 0 if the queue is empty.
  std::uint64_t dequeue() {
    auto& transaction = FineTransaction::current();
    transaction.lock(front_.lock);
    const InPool<Item> taken = front_.taken;
    if (taken->number == front_.committed && !ask_back()) return 0;
    const InPool<Item> oldest = taken->next;
    front_.taken = oldest;
    transaction.free(taken.get());
    return oldest->number;
  }

  std::uint64_t size() const { return back_.last.get()->number - front_.taken.get()->number; }

  /// What is wrong, one a line: numbers left out, a back that is not the last. Runs alone.
  std::vector<std::string> violations() const {
    InPool<Item> last = front_.taken;
    for (InPool<Item> item = last->next; item; item = item->next) {
      if (item->number != last->number + 1)
        return {"queue: item " + std::to_string(last->number) + " is not followed by the next one"};
      last = item;
    }
    if (last != back_.last.get()) return {"queue: the back is not the last item"};
    return {};
  }

 private:
  struct Item {
    Logged<InPool<Item>> next;
    std::uint64_t number = 0;
  };

  struct alignas(64) Front {
    PMEMmutex lock{};
    Logged<InPool<Item>> taken;       // the one before the oldest
    Logged<std::uint64_t> committed;  // no item beyond is known to be
  };

  struct alignas(64) Back {
    PMEMmutex lock{};
    Logged<InPool<Item>> last;
  };

  explicit TwoLockQueue(InPool<Item> taken) : front_{{}, Logged(taken), {}}, back_{{}, Logged(taken)} {}

  // Whoever adds an item wants this lock only, so nobody waits for one who waits.
  bool ask_back() {
    FineTransaction::current().lock(back_.lock);
    const auto committed = back_.last.get()->number;
    if (committed == front_.committed) return false;
    front_.committed = committed;
    return true;
  }

  Front front_;
  Back back_;
};

}  // namespace perdure::benchmarks::fine

template <>
struct perdure::benchmarks::queue::Data<perdure::benchmarks::fine::TwoLockQueue> {
  peers::Logged<Scale> scale;
  peers::Logged<PopulationState> population;
  fine::TwoLockQueue queue;
};

#endif
