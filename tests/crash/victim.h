#ifndef PERDURE_TESTS_CRASH_VICTIM_H
#define PERDURE_TESTS_CRASH_VICTIM_H

#include <unistd.h>

#include <atomic>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include <perdure/perdure.h>
#include <CLI/CLI.hpp>

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

/// The whole of `main`. \returns the exit status.
template <class Run>
int run_victim(const char* description, int count, char** arguments, Run run) {
  CLI::App app(description);
  VictimOptions options;
  app.add_option("path", options.path, "the pools' files begin with this")->required();
  app.add_option("--threads", options.threads)->check(CLI::Range(std::size_t{1}, most_threads));
  app.add_option("--seconds", options.seconds);
  app.add_option("--acknowledge", options.acknowledge, "a descriptor: who, and the number of each transaction");
  app.add_flag("--check", options.check);
  try {
    app.parse(count, arguments);
    run(options);
    return 0;
  } catch (const CLI::ParseError& error) {
    return app.exit(error) == 0 ? 0 : 1;
  } catch (const std::exception& error) {
    std::fprintf(stderr, "%s: %s\n", arguments[0], error.what());
    return 1;
  }
}

}  // namespace perdure::testing

#endif
