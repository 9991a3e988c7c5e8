// Threads that move money from accounts in one pool to accounts in another, in transactions over both, until they are
// stopped by their time or by a kill. Its command line and its report are those of the bank
// (examples/bank/transfers.cc), so that bank_crash_test.py can kill it. The pools are opened in one order or the other,
// and one of them alone now and then.
#include <unistd.h>

#include <array>
#include <atomic>
#include <chrono>
#include <cstdio>
#include <filesystem>
#include <optional>
#include <random>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include <perdure/perdure.h>
#include <CLI/CLI.hpp>

namespace {

constexpr std::size_t most_threads = 32;
constexpr std::size_t accounts = 16;
constexpr long opening_balance = 1000;

struct Half {
  struct alignas(64) Account {
    long balance = opening_balance;
  };
  struct alignas(64) Teller {
    long transfers = 0;
  };
  std::array<Account, accounts> account;
  std::array<Teller, most_threads> teller;
};
using Halves = std::array<Half*, 2>;

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
  app.add_option("--acknowledge", options.acknowledge, "a descriptor: teller and number of each finished transfer");
  app.add_flag("--check", options.check);
  app.parse(count, arguments);
  return options;
}

long transfer(Half& from, Half& to, std::size_t teller, std::size_t account, long amount) {
  long number = 0;
  TM_BEGIN {
    from.account[account].balance -= amount;
    to.account[(account + 1) % accounts].balance += amount;
    number = ++from.teller[teller].transfers;
    ++to.teller[teller].transfers;
  } TM_END;
  return number;
}

void acknowledge(int descriptor, long teller, long number) {
  const long record[] = {teller, number};
  if (write(descriptor, record, sizeof record) != sizeof record) throw std::runtime_error("cannot acknowledge");
}

void work(const Halves& halves, std::size_t teller, const Options& options, const std::atomic<bool>& running) {
  std::mt19937_64 random(teller);
  while (running) {
    const std::size_t from = random() % 2;
    const long number =
        transfer(*halves[from], *halves[1 - from], teller, random() % accounts, static_cast<long>(random() % 100));
    if (options.acknowledge >= 0) acknowledge(options.acknowledge, static_cast<long>(teller), number);
  }
}

void run_threads(const Halves& halves, const Options& options) {
  std::atomic<bool> running = true;
  std::vector<std::thread> threads;
  for (std::size_t teller = 0; teller < options.threads; ++teller)
    threads.emplace_back([&, teller] { work(halves, teller, options, running); });
  std::this_thread::sleep_for(std::chrono::duration<double>(options.seconds));
  running = false;
  for (auto& thread : threads) thread.join();
}

void check(const Halves& halves) {
  long total = 0;
  for (const Half* half : halves)
    for (const Half::Account& account : half->account) total += account.balance;
  constexpr long expected = 2 * static_cast<long>(accounts) * opening_balance;
  if (total != expected)
    throw std::runtime_error("there are " + std::to_string(total) + " in all, not " + std::to_string(expected));
  for (std::size_t teller = 0; teller < most_threads; ++teller) {
    const long transfers = halves[0]->teller[teller].transfers;
    if (transfers != halves[1]->teller[teller].transfers) throw std::runtime_error("a transfer is in one pool only");
    if (transfers > 0) std::printf("teller %zu transfers %ld\n", teller, transfers);
  }
}

class Summary {
 public:
  perdure::Pool open(const std::string& path) {
    perdure::Pool pool = perdure::Pool::open(path);
    const perdure::OpenReport& report = pool.wait_for_mark();
    recovered_ |= report.state == perdure::OpenReport::State::recovered;
    replayed_ += report.transactions_replayed;
    rolled_back_ += report.transactions_rolled_back;
    reclaimed_ += report.blocks_reclaimed;
    return pool;
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

void run(const Options& options) {
  std::mt19937_64 random(std::random_device{}());
  Summary summary;
  const std::size_t first = random() % 2;
  const auto path = [&](std::size_t half) { return options.path + "." + std::to_string(half); };
  // New ones together, so that they get different addresses.
  if (std::filesystem::exists(path(1 - first)) && random() % 2 == 0) summary.open(path(first)).close();
  std::array<std::optional<perdure::Pool>, 2> pools;
  for (const std::size_t half : {first, 1 - first}) pools[half] = summary.open(path(half));
  const Halves halves = {&pools[0]->root<Half>("half"), &pools[1]->root<Half>("half")};
  summary.print();
  if (!options.check) run_threads(halves, options);
  check(halves);
}

}  // namespace

int main(int count, char** arguments) {
  CLI::App app("Moves money between two pools");
  try {
    run(read_options(app, count, arguments));
    return 0;
  } catch (const CLI::ParseError& error) {
    return app.exit(error) == 0 ? 0 : 1;
  } catch (const std::exception& error) {
    std::fprintf(stderr, "two_pools: %s\n", error.what());
  }
  return 1;
}
