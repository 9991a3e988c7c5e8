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
constexpr unsigned trials = 15;

/// Nanoseconds of one of `count` repetitions, of the fastest trial: what else the machine does only adds to it.
template <class Function>
double fastest(std::size_t count, Function&& function) {
  double best = 1e18;
  for (unsigned trial = 0; trial < trials; ++trial) {
    const auto begin = Clock::now();
    for (std::size_t i = 0; i < count; ++i) function(i);
    const auto nanoseconds = std::chrono::duration<double, std::nano>(Clock::now() - begin).count();
    best = std::min(best, nanoseconds / static_cast<double>(count));
  }
  return best;
}

/// Between two cores: each waits until the other has changed the word, and changes it.
template <class Wait, class Tell>
double hand_over(std::size_t count, Wait wait, Tell tell) {
  alignas(128) static std::atomic<std::uint32_t> word{0};
  word = 0;
  Clock::time_point begin;
  const auto half = [&](std::uint32_t parity) {
    benchmarks::pin_to_core(parity);
    for (std::uint32_t turn = parity; turn < 2 * count; turn += 2) {
      wait(word, turn);
      if (turn == 2) begin = Clock::now();  // both are there
      word.store(turn + 1, std::memory_order_seq_cst);
      tell(word);
    }
  };
  std::thread one(half, 0);  // neither is this thread, which is bound to no core
  std::thread other(half, 1);
  one.join();
  other.join();
  return std::chrono::duration<double, std::nano>(Clock::now() - begin).count() / static_cast<double>(2 * (count - 1));
}

template <class Wait, class Tell>
double fastest_hand_over(std::size_t count, Wait wait, Tell tell) {
  double best = 1e18;
  for (unsigned trial = 0; trial < trials; ++trial) best = std::min(best, hand_over(count, wait, tell));
  return best;
}

struct alignas(64) CacheLine {
  std::uint64_t word;
};

/// Changing `flushed` lines and making them durable.
double durable_stores(std::size_t flushed) {
  constexpr std::size_t lines = 4096;
  static std::array<CacheLine, lines> memory;
  return fastest(20'000, [&](std::size_t i) {
    for (std::size_t line = 0; line < flushed; ++line) {
      CacheLine& changed = memory[(i * flushed + line) % lines];
      changed.word = i;
      persist::Adr::flush(&changed);
    }
    persist::Adr::fence();
  });
}

double validation() {
  std::vector<const sync::Orec*> read;
  for (std::uint64_t i = 0; i < 4096; ++i)
    read.push_back(&sync::orec_table.of(reinterpret_cast<const void*>((i * 0x9e3779b97f4a7c15U) >> 32)));
  std::uint64_t newer = 0;
  const double all = fastest(200, [&](std::size_t) {
    for (const sync::Orec* orec : read) newer += orec->load(std::memory_order_acquire).is_of(0) ? 0 : 1;
  });
  return newer == 0 ? all / static_cast<double>(read.size()) : 0;
}

double filter() {
  constexpr std::size_t words = 16;
  static std::array<std::atomic<std::uint64_t>, words> entry;  // static: or the compiler sees that nobody changes it
  static std::array<std::uint64_t, words> own;
  std::uint64_t common = 0;
  const double result = fastest(100'000, [&](std::size_t i) {
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
  print("pause", fastest(10'000, [](std::size_t) { sync::pause(); }));
  print("validate", validation());
  print("filter", filter());
  print("transfer", fastest_hand_over(2'000, spin, [](const std::atomic<std::uint32_t>&) {}));
  print("wake", fastest_hand_over(50, sleep, [](const std::atomic<std::uint32_t>& word) { sync::wake(word, 1); }));
}

}  // namespace
}  // namespace perdure::scale

int main() { perdure::scale::measure(); }
