#ifndef PERDURE_TESTS_CRASH_VICTIM_H
#define PERDURE_TESTS_CRASH_VICTIM_H

#include <unistd.h>

#include <atomic>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <functional>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include <perdure/perdure.h>

/// What programs over several pools have in common that bank_crash_test.py kills: the command line and the report of
/// the bank (examples/bank/transfers.cc).
namespace perdure::testing {

inline constexpr std::size_t most_threads = 32;

struct VictimOptions {
  std::string path;  ///< the pools' files begin with this
  std::size_t threads = 2;
  double seconds = 1;
  int acknowledge = -1;  ///< a descriptor, or -1
  bool check = false;    ///< look at what is there, and end
};

/// Tells the parent that a transaction has finished: whose, and its number.
inline void acknowledge(const VictimOptions& options, std::size_t teller, long number) {
  if (options.acknowledge < 0) return;
  const long record[] = {static_cast<long>(teller), number};
  if (write(options.acknowledge, record, sizeof record) != sizeof record)
    throw std::runtime_error("cannot acknowledge");
}

/// Runs `work(thread, running)` in each thread until the time is over.
template <class Work>
void run_threads(const VictimOptions& options, Work work) {
  std::atomic<bool> running = true;
  std::vector<std::thread> threads;
  for (std::size_t thread = 0; thread < options.threads; ++thread)
    threads.emplace_back([&, thread] { work(thread, running); });
  std::this_thread::sleep_for(std::chrono::duration<double>(options.seconds));
  running = false;
  for (auto& thread : threads) thread.join();
}

/// What opening the pools has found, together.
class OpenSummary {
 public:
  void add(const OpenReport& report) {
    recovered_ |= report.state == OpenReport::State::recovered;
    replayed_ += report.transactions_replayed;
    rolled_back_ += report.transactions_rolled_back;
    reclaimed_ += report.blocks_reclaimed;
  }

  void print() const {
    std::printf("opened %s replayed %llu rolled back %llu reclaimed %llu\n", recovered_ ? "recovered" : "clean",
                static_cast<unsigned long long>(replayed_), static_cast<unsigned long long>(rolled_back_),
                static_cast<unsigned long long>(reclaimed_));
  }

 private:
  bool recovered_ = false;
  std::uint64_t replayed_ = 0, rolled_back_ = 0, reclaimed_ = 0;
};

inline void print_transfers(std::size_t teller, long transfers) {
  if (transfers > 0) std::printf("teller %zu transfers %ld\n", teller, transfers);
}

/// The whole of `main`. (In a file of its own: all that is in a file with transactions, CLI11 too, gets clones.)
/// \returns the exit status.
int run_victim(const char* description, int count, char** arguments,
               const std::function<void(const VictimOptions&)>& run);

}  // namespace perdure::testing

#endif
