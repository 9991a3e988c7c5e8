// Threads that work in many pools at once, until they are stopped by their time or by a kill. Its command line and its
// report are those of the bank (examples/bank/transfers.cc), so that bank_crash_test.py can kill it; a teller there is
// a thread's part of one pool here.
#include <algorithm>
#include <array>
#include <atomic>
#include <random>
#include <stdexcept>
#include <string>
#include <vector>

#include "victim.h"

namespace {

using namespace perdure::testing;

constexpr std::size_t pool_count = 8;
constexpr long kept = 4;

/// A thread's part of a pool: how many entries it has made, and the last of them, in lines of their own. (Blocks are
/// allocated from one pool at a time, so there are none.)
struct alignas(64) Part {
  long done = 0;
  struct alignas(64) Entry {
    long number = 0;
  };
  std::array<Entry, kept> latest{};
};
using Parts = std::array<Part, most_threads>;

long add_entry(Part& part) {
  long number = 0;
  TM_BEGIN {
    number = ++part.done;
    part.latest[number % kept].number = number;
  } TM_END;
  return number;
}

void work(const std::vector<Parts*>& pools, std::size_t thread, const VictimOptions& options,
          const std::atomic<bool>& running) {
  std::mt19937_64 random(thread);
  while (running) {
    const std::size_t pool = random() % pool_count;
    acknowledge(options, thread * pool_count + pool, add_entry((*pools[pool])[thread]));
  }
}

void check(const std::vector<Parts*>& pools) {
  for (std::size_t pool = 0; pool < pool_count; ++pool)
    for (std::size_t thread = 0; thread < most_threads; ++thread) {
      const Part& part = (*pools[pool])[thread];
      for (long number = std::max(1L, part.done - kept + 1); number <= part.done; ++number)
        if (part.latest[number % kept].number != number) throw std::runtime_error("an entry is missing");
      if (part.latest[(part.done + 1) % kept].number > part.done)
        throw std::runtime_error("there is an entry too many");
      print_transfers(thread * pool_count + pool, part.done);
    }
}

void run(const VictimOptions& options) {
  std::vector<perdure::Pool> pools;
  std::vector<Parts*> parts;
  OpenSummary summary;
  for (std::size_t i = 0; i < pool_count; ++i) {
    pools.push_back(perdure::Pool::open(options.path + "." + std::to_string(i)));
    if (options.check) pools.back().wait_for_mark();
    summary.add(pools.back().report());
    parts.push_back(&pools.back().root<Parts>("parts"));
  }
  summary.print();
  if (!options.check)
    run_threads(options, [&](std::size_t thread, const auto& running) { work(parts, thread, options, running); });
  check(parts);
}

}  // namespace

int main(int count, char** arguments) { return run_victim("Adds entries to many pools", count, arguments, run); }
