// Threads that move money from accounts in one pool to accounts in another, in transactions over both, until they are
// stopped by their time or by a kill. Its command line and its report are those of the bank
// (examples/bank/transfers.cc), so that bank_crash_test.py can kill it. The pools are opened in one order or the other,
// and one of them alone now and then.
#include <array>
#include <atomic>
#include <filesystem>
#include <optional>
#include <random>
#include <stdexcept>
#include <string>

#include "victim.h"

namespace {

using namespace perdure::testing;

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

void work(const Halves& halves, std::size_t teller, const VictimOptions& options, const std::atomic<bool>& running) {
  std::mt19937_64 random(teller);
  while (running) {
    const std::size_t from = random() % 2;
    const long number =
        transfer(*halves[from], *halves[1 - from], teller, random() % accounts, static_cast<long>(random() % 100));
    acknowledge(options, teller, number);
  }
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
    print_transfers(teller, transfers);
  }
}

void run(const VictimOptions& options) {
  std::mt19937_64 random(std::random_device{}());
  OpenSummary summary;
  const auto open = [&](std::size_t half) {
    perdure::Pool pool = perdure::Pool::open(options.path + "." + std::to_string(half));
    summary.add(pool.wait_for_mark());
    return pool;
  };
  const std::size_t first = random() % 2;
  // New ones together, so that they get different addresses.
  const bool are_there = std::filesystem::exists(options.path + "." + std::to_string(1 - first));
  if (are_there && random() % 2 == 0) open(first).close();
  std::array<std::optional<perdure::Pool>, 2> pools;
  for (const std::size_t half : {first, 1 - first}) pools[half] = open(half);
  const Halves halves = {&pools[0]->root<Half>("half"), &pools[1]->root<Half>("half")};
  summary.print();
  if (!options.check)
    run_threads(options, [&](std::size_t teller, const auto& running) { work(halves, teller, options, running); });
  check(halves);
}

}  // namespace

int main(int count, char** arguments) { return run_victim("Moves money between two pools", count, arguments, run); }
