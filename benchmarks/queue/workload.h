#ifndef PERDURE_BENCHMARKS_QUEUE_WORKLOAD_H
#define PERDURE_BENCHMARKS_QUEUE_WORKLOAD_H

#include <stdexcept>

#include "common/local_count.h"
#include "common/rooted_workload.h"
#include "parameters.h"
#include "structures/linked_queue.h"

namespace perdure::benchmarks::queue {

/// The root object of the pool.
template <class Queue>
struct Data {
  Scale scale;
  PopulationState population = PopulationState::empty;
  Queue queue;
};

/// One thread that adds an item, takes one out, adds one, …
template <class Queue>
class Worker {
 public:
  /// \param items  how many items there are.
  Worker(Queue& queue, LocalCount::Total& items) : queue_(queue), added_(items) {}

  Outcome step() {
    if (has_added_) {
      dequeue();
    } else {
      enqueue();
    }
    has_added_ = !has_added_;
    return Outcome::committed;
  }

 private:
  void enqueue() {
    auto& queue = queue_;
    TM_BEGIN { queue.enqueue(); } TM_END;
    added_ += 1;
  }

  void dequeue() {
    auto& queue = queue_;
    const auto number = TM_BEGIN { return queue.dequeue(); } TM_END;
    if (number <= last_taken_) throw std::logic_error("items came out of order: transactions are not isolated");
    last_taken_ = number;
    added_ -= 1;
  }

  Queue& queue_;
  LocalCount added_;
  bool has_added_ = false;
  std::uint64_t last_taken_ = 0;
};

/// Enqueue and dequeue, each its own transaction.
/// \tparam Queue  with the interface of LinkedQueue.
template <class Queue>
class Queues : public RootedWorkload<Data<Queue>, Parameters> {
  using Base = RootedWorkload<Data<Queue>, Parameters>;
  using Base::parameters_;
  using Base::root_;

 public:
  using Worker = queue::Worker<Queue>;

  static constexpr const char* name = "queue";

  Queues(Pool& pool, const Parameters& parameters, std::size_t /*threads*/)
      : Base(pool, "queue", parameters), items_(static_cast<std::int64_t>(root_.queue.size())) {}

  void populate(const Share& share) {
    for_each_batch(share, parameters_.scale.items, 1, [this](std::size_t, std::size_t) {
      TM_BEGIN { root_.queue.enqueue(); } TM_END;
      ++items_;
    });
  }

  Worker worker(const Share&) { return Worker(root_.queue, items_); }

  std::vector<std::string> violations() const {
    auto found = root_.queue.violations();
    expect_equal(found, "the number of items", root_.queue.size(), "what was added and not taken out", items_.load());
    return found;
  }

 private:
  LocalCount::Total items_;
};

using QueueWorkload = Queues<LinkedQueue>;

}  // namespace perdure::benchmarks::queue

#endif
