// Measures what the model of scaling has to know of this machine, and prints lines of a name and nanoseconds.
#include <algorithm>
#include <array>
#include <atomic>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <thread>
#include <vector>

#include "common/machine.h"
#include "persist/adr.h"
#include "sync/futex.h"
#include "sync/orec_table.h"
#include "sync/spin.h"

namespace perdure::scale {
namespace {

using Clock = std::chrono::steady_clock;
constexpr unsigned trials = 300;

double nanoseconds_since(Clock::time_point begin) {
  return std::chrono::duration<double, std::nano>(Clock::now() - begin).count();
}

/// Nanoseconds of one of `count` repetitions, of the fastest trial: what else the machine does only adds to it. Trials
/// are short, of some 100 µs, so that a few are left alone even where there is much else to do.
template <class Function>
double fastest(std::size_t count, Function&& function) {
  double best = 1e18;
  for (unsigned trial = 0; trial < trials; ++trial) {
    const auto begin = Clock::now();
    for (std::size_t i = 0; i < count; ++i) function(i);
    best = std::min(best, nanoseconds_since(begin) / static_cast<double>(count));
  }
  return best;
}

/// Two threads on two cores; neither is this one, which is bound to none.
template <class Half>
void run_both(Half half) {
  std::thread one(half, 0);
  std::thread other(half, 1);
  one.join();
  other.join();
}

/// Between two cores: each waits until the other has changed the word, and changes it. Of the fastest of many rounds,
/// which are as short as can be timed: where there is other work, both cores are seldom free for long.
template <class Wait, class Tell>
double fastest_hand_over(std::uint32_t rounds, std::uint32_t round, Wait wait, Tell tell) {
  alignas(128) static std::atomic<std::uint32_t> word{0};
  word = 0;
  double best = 1e18;
  run_both([&](std::uint32_t parity) {
    benchmarks::pin_to_core(parity);
    Clock::time_point begin;
    for (std::uint32_t turn = parity; turn <= 2 * rounds * round; turn += 2) {
      wait(word, turn);
      if (turn % (2 * round) == 0) {  // one of them times
        if (turn != 0) best = std::min(best, nanoseconds_since(begin) / (2.0 * round));
        begin = Clock::now();
      }
      word.store(turn + 1, std::memory_order_seq_cst);
      tell(word);
    }
  });
  return best;
}

/// The slowest of some measurements, a while apart. The processors of a virtual machine are at times two threads of one
/// core, which hand a line over four times as fast as two cores; those are what is simulated.
template <class Measure>
double slowest(Measure measure) {
  constexpr unsigned measurements = 10;
  double worst = 0;
  for (unsigned i = 0; i < measurements; ++i) {
    std::this_thread::sleep_for(std::chrono::milliseconds(200));
    worst = std::max(worst, measure());
  }
  return worst;
}

/// Looking at what 64 threads publish, all of it changed by another core: for each. As libs/sched/thread_registry.h
/// looks at it.
double changed_lines_at_once() {
  struct alignas(128) Published {
    std::atomic<std::uint64_t> time;
  };
  static std::array<Published, 64> published;
  static std::atomic<std::uint32_t> turn;
  turn = 0;
  constexpr std::uint32_t rounds = 2'000;
  double best = 1e18;
  std::uint64_t seen = 0;
  run_both([&](std::uint32_t parity) {
    benchmarks::pin_to_core(parity);
    for (std::uint32_t own = parity; own < 2 * rounds; own += 2) {
      while (turn.load(std::memory_order_acquire) != own) sync::pause();
      if (parity == 0) {
        for (Published& one : published) one.time.store(own + 1, std::memory_order_relaxed);
      } else {
        std::uint64_t smallest = ~std::uint64_t{0};
        const auto begin = Clock::now();
        for (const Published& one : published) {
          const std::uint64_t time = one.time.load(std::memory_order_acquire);
          if (time < smallest) smallest = time;
        }
        best = std::min(best, nanoseconds_since(begin) / published.size());
        seen += smallest;
      }
      turn.store(own + 1, std::memory_order_seq_cst);
    }
  });
  return seen != 0 ? best : 0;
}

struct alignas(64) CacheLine {
  std::uint64_t word;
};

/// Changing `flushed` lines and making them durable.
double durable_stores(std::size_t flushed) {
  constexpr std::size_t lines = 4096;
  static std::array<CacheLine, lines> memory;
  return fastest(500, [&](std::size_t i) {
    for (std::size_t line = 0; line < flushed; ++line) {
      CacheLine& changed = memory[(i * flushed + line) % lines];
      changed.word = i;
      persistence::Adr::flush(&changed);
    }
    persistence::Adr::fence();
  });
}

double validation() {
  std::vector<const sync::Orec*> read;
  for (std::uint64_t i = 0; i < 4096; ++i)
    read.push_back(&sync::orec_table.of(reinterpret_cast<const void*>((i * 0x9e3779b97f4a7c15U) >> 32)));
  std::uint64_t newer = 0;
  const double all = fastest(20, [&](std::size_t) {
    for (const sync::Orec* orec : read) newer += orec->load(std::memory_order_acquire).is_of(0) ? 0 : 1;
  });
  return newer == 0 ? all / static_cast<double>(read.size()) : 0;
}

double filter() {
  constexpr std::size_t words = 16;
  static std::array<std::atomic<std::uint64_t>, words> entry;  // static: or the compiler sees that nobody changes it
  static std::array<std::uint64_t, words> own;
  std::uint64_t common = 0;
  const double result = fastest(5'000, [&](std::size_t i) {
    own[i % words] = i;
    entry[i % words].store(i, std::memory_order_relaxed);
    for (std::size_t word = 0; word < words; ++word) common |= entry[word].load(std::memory_order_acquire) & own[word];
  });
  return common != 0 ? result : 0;
}

void print(const char* name, double nanoseconds) {
  std::printf("%s %.2f\n", name, nanoseconds);
  std::fflush(stdout);
}

void measure() {
  const auto spin = [](const std::atomic<std::uint32_t>& word, std::uint32_t turn) {
    while (word.load(std::memory_order_acquire) != turn) sync::pause();
  };
  const auto sleep = [](const std::atomic<std::uint32_t>& word, std::uint32_t turn) {
    for (std::uint32_t seen = 0; (seen = word.load(std::memory_order_acquire)) != turn;)
      sync::sleep_while(word, seen, 1);
  };
  constexpr std::size_t many = 16;
  const double one = durable_stores(1);
  const double flush = (durable_stores(many) - one) / (many - 1);
  print("flush", flush);
  print("fence", std::max(one - flush, 0.0));
  print("pause", fastest(1'000, [](std::size_t) { sync::pause(); }));
  print("validate", validation());
  print("filter", filter());
  print("transfer",
        slowest([&] { return fastest_hand_over(1'000, 50, spin, [](const std::atomic<std::uint32_t>&) {}); }));
  print("next_transfer", slowest(changed_lines_at_once));
  const auto wake = [](const std::atomic<std::uint32_t>& word) { sync::wake(word, 1); };
  print("wake", slowest([&] { return fastest_hand_over(20, 20, sleep, wake); }));
}

}  // namespace
}  // namespace perdure::scale

int main() { perdure::scale::measure(); }
