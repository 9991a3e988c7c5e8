// Threads that work in many pools at once, until they are stopped by their time or by a kill. Its command line and its
// report are those of the bank (examples/bank/transfers.cc), so that bank_crash_test.py can kill it; a teller there is
// a thread's part of one pool here.
#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <chrono>
#include <cstdio>
#include <random>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include <perdure/perdure.h>
#include <CLI/CLI.hpp>

namespace {

constexpr std::size_t pool_count = 8;
constexpr std::size_t most_threads = 32;
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

struct Options {
  std::string path;
  std::size_t threads = 2;
  double seconds = 1;
  int acknowledge = -1;
  bool check = false;
};

Options read_options(CLI::App& app, int count, char** arguments) {
  Options options;
  app.add_option("path", options.path, "the pools' files begin with this")->required();
  app.add_option("--threads", options.threads)->check(CLI::Range(std::size_t{1}, most_threads));
  app.add_option("--seconds", options.seconds);
  app.add_option("--acknowledge", options.acknowledge, "a descriptor: part and number of each finished transaction");
  app.add_flag("--check", options.check);
  app.parse(count, arguments);
  return options;
}

long add_entry(Part& part) {
  long number = 0;
  TM_BEGIN {
    number = ++part.done;
    part.latest[number % kept].number = number;
  } TM_END;
  return number;
}

void acknowledge(int descriptor, long part, long number) {
  const long record[] = {part, number};
  if (write(descriptor, record, sizeof record) != sizeof record) throw std::runtime_error("cannot acknowledge");
}

void work(const std::vector<Parts*>& pools, std::size_t thread, const Options& options,
          const std::atomic<bool>& running) {
  std::mt19937_64 random(thread);
  while (running) {
    const std::size_t pool = random() % pool_count;
    const long number = add_entry((*pools[pool])[thread]);
    if (options.acknowledge >= 0)
      acknowledge(options.acknowledge, static_cast<long>(thread * pool_count + pool), number);
  }
}

void run_threads(const std::vector<Parts*>& pools, const Options& options) {
  std::atomic<bool> running = true;
  std::vector<std::thread> threads;
  for (std::size_t thread = 0; thread < options.threads; ++thread)
    threads.emplace_back([&, thread] { work(pools, thread, options, running); });
  std::this_thread::sleep_for(std::chrono::duration<double>(options.seconds));
  running = false;
  for (auto& thread : threads) thread.join();
}

void check(const std::vector<Parts*>& pools) {
  for (std::size_t pool = 0; pool < pool_count; ++pool)
    for (std::size_t thread = 0; thread < most_threads; ++thread) {
      const Part& part = (*pools[pool])[thread];
      for (long number = std::max(1L, part.done - kept + 1); number <= part.done; ++number)
        if (part.latest[number % kept].number != number) throw std::runtime_error("an entry is missing");
      if (part.latest[(part.done + 1) % kept].number > part.done)
        throw std::runtime_error("there is an entry too many");
      if (part.done > 0) std::printf("teller %zu transfers %ld\n", thread * pool_count + pool, part.done);
    }
}

void print_reports(const std::vector<perdure::Pool>& pools) {
  using State = perdure::OpenReport::State;
  std::uint64_t replayed = 0, rolled_back = 0, reclaimed = 0;
  bool recovered = false;
  for (const perdure::Pool& pool : pools) {
    recovered |= pool.report().state == State::recovered;
    replayed += pool.report().transactions_replayed;
    rolled_back += pool.report().transactions_rolled_back;
    reclaimed += pool.report().blocks_reclaimed;
  }
  std::printf("opened %s replayed %llu rolled back %llu reclaimed %llu\n", recovered ? "recovered" : "clean",
              static_cast<unsigned long long>(replayed), static_cast<unsigned long long>(rolled_back),
              static_cast<unsigned long long>(reclaimed));
}

void run(const Options& options) {
  std::vector<perdure::Pool> pools;
  std::vector<Parts*> parts;
  for (std::size_t i = 0; i < pool_count; ++i) {
    pools.push_back(perdure::Pool::open(options.path + "." + std::to_string(i)));
    if (options.check) pools.back().wait_for_mark();
    parts.push_back(&pools.back().root<Parts>("parts"));
  }
  print_reports(pools);
  if (!options.check) run_threads(parts, options);
  check(parts);
}

}  // namespace

int main(int count, char** arguments) {
  CLI::App app("Adds entries to many pools");
  try {
    run(read_options(app, count, arguments));
    return 0;
  } catch (const CLI::ParseError& error) {
    return app.exit(error) == 0 ? 0 : 1;
  } catch (const std::exception& error) {
    std::fprintf(stderr, "many_pools: %s\n", error.what());
  }
  return 1;
}
