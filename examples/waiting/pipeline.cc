// Two producers and two consumers, with what lies between them in a pool. Kill it and start it again, as often as you
// like: no item is lost, and none is counted twice.
//   perdure-c++ -O2 pipeline.cc -o pipeline && ./pipeline pipeline.pool 100000
#include <array>
#include <cstdio>
#include <cstdlib>
#include <thread>
#include <vector>

#include <perdure/perdure.h>

#include "barrier.h"
#include "bounded_queue.h"
#include "promise.h"
#include "semaphore.h"

namespace {

constexpr std::size_t workers = 2;  // of each kind

struct Pipeline {
  std::array<long, workers> produced{};  // by each producer
  BoundedQueue<long, 8> items;
  Semaphore unpaid{100};  // so many items may be on their way, or counted and not yet paid
  std::array<long, workers> counted{};
  std::array<long, workers> sum{};
  Barrier<workers> all_produced;
  Promise<long> total;
};

/// An item and the note that it was made: one transaction.
void produce(Pipeline& pipeline, std::size_t producer, long items) {
  for (bool is_done = false; !is_done;) {
    TM_BEGIN {
      is_done = pipeline.produced[producer] == items;
      if (!is_done) {
        pipeline.unpaid.acquire();
        pipeline.items.push(++pipeline.produced[producer]);
      }
    } TM_END;
  }
  pipeline.all_produced.arrive_and_wait(producer, 1);
}

/// Takes an item, or sees that there will be none.
void consume(Pipeline& pipeline, std::size_t consumer, long items) {
  for (bool is_done = false; !is_done;) {
    TM_BEGIN {
          pipeline.sum[consumer] += pipeline.items.pop();
          pipeline.counted[consumer] += 1;
          pipeline.unpaid.release();
        } TM_OR_ELSE {
          long counted = 0;
          for (const long number : pipeline.counted) counted += number;
          if (counted < items * static_cast<long>(workers)) TM_RETRY;
          is_done = true;
        } TM_END;
  }
  TM_BEGIN {
    long total = 0;
    for (const long part : pipeline.sum) total += part;
    pipeline.total.set(total);
  } TM_END;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 3) {
    std::fputs("usage: pipeline <pool> <items of each producer>\n", stderr);
    return 2;
  }
  const long items = std::atol(argv[2]);
  auto pool = perdure::Pool::open(argv[1]);
  auto& pipeline = pool.root<Pipeline>("pipeline");
  std::vector<std::jthread> threads;
  for (std::size_t i = 0; i < workers; ++i) {
    threads.emplace_back(produce, std::ref(pipeline), i, items);
    threads.emplace_back(consume, std::ref(pipeline), i, items);
  }
  const long total = pipeline.total.get();
  const long expected = static_cast<long>(workers) * items * (items + 1) / 2;
  std::printf("%ld, and should be %ld\n", total, expected);
  return total == expected ? 0 : 1;
}
