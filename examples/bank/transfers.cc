/// A bank under load: threads move money between random accounts until they are stopped, by their time or by a kill.
/// `--check` opens the bank afterwards and audits the books.

#include <atomic>
#include <chrono>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <iostream>
#include <random>
#include <stdexcept>
#include <thread>
#include <vector>

#include <perdure/perdure.h>
#include <unistd.h>

#include "bank.h"
#include "check.h"
#include "command_line.h"

namespace {

constexpr long opening_balance = 1000;

// Short enough that std::string keeps it in place: then it is on the stack, and a transaction may read it in every
// mode.
std::string account_name(long number) { return "account " + std::to_string(number); }

void open_accounts(Bank& bank, long accounts) {
  constexpr long per_transaction = 100;
  for (auto opened = static_cast<long>(bank.balance.size()); opened < accounts;) {
    const auto last = std::min(accounts, opened + per_transaction);
    std::array<std::string, per_transaction> names;
    for (auto number = opened; number < last; ++number) names[number - opened] = account_name(number);
    TM_BEGIN {
      for (long i = 0; i < last - opened; ++i) bank.balance.emplace(names[i], opening_balance);
    } TM_END;
    opened = last;
  }
}

/// Moves the money and notes it.
/// \returns the transfer's number among those of the teller.
long transfer(Bank& bank, Teller& teller, const std::string& from, const std::string& to, long amount) {
  long sequence = 0;
  TM_BEGIN {
    bank.balance.find(from)->second -= amount;
    bank.balance.find(to)->second += amount;
    sequence = ++teller.transfers;
    teller.latest.push_back(Transfer{sequence, from, to, amount});
    if (teller.latest.size() > Bank::transfers_remembered) teller.latest.pop_front();
  } TM_END;
  return sequence;
}

// Less than a pipe's atomic size, so that tellers do not interrupt each other.
void acknowledge(int descriptor, long teller, long sequence) {
  const long record[] = {teller, sequence};
  if (write(descriptor, record, sizeof(record)) == sizeof(record)) return;
  throw std::runtime_error(std::string("cannot acknowledge a transfer: ") + std::strerror(errno) +
                           "; give --acknowledge a file descriptor that is open for writing");
}

void work(Bank& bank, std::size_t number, const Options& options, const std::atomic<bool>& running) {
  std::mt19937_64 random(options.seed * Bank::most_tellers + number);
  const auto accounts = static_cast<long>(bank.balance.size());
  std::uniform_int_distribution<long> any_account(0, accounts - 1), any_other(1, accounts - 1), any_amount(1, 100);
  while (running) {
    const long from = any_account(random);
    const long to = (from + any_other(random)) % accounts;
    const auto sequence =
        transfer(bank, bank.tellers[number], account_name(from), account_name(to), any_amount(random));
    if (options.acknowledge >= 0) acknowledge(options.acknowledge, static_cast<long>(number), sequence);
  }
}

void run_tellers(Bank& bank, const Options& options) {
  std::atomic<bool> running = true;
  std::vector<std::exception_ptr> failures(options.threads);
  std::vector<std::thread> threads;
  for (std::size_t number = 0; number < options.threads; ++number) {
    threads.emplace_back([&, number] {
      try {
        work(bank, number, options, running);
      } catch (...) {
        failures[number] = std::current_exception();
      }
    });
  }
  std::this_thread::sleep_for(std::chrono::duration<double>(options.seconds));
  running = false;
  for (auto& thread : threads) thread.join();
  for (const auto& failure : failures) {
    if (failure) std::rethrow_exception(failure);
  }
}

const char* describe(perdure::OpenReport::State state) {
  switch (state) {
    case perdure::OpenReport::State::created:
      return "created";
    case perdure::OpenReport::State::clean:
      return "clean";
    case perdure::OpenReport::State::recovered:
      return "recovered";
    case perdure::OpenReport::State::is_volatile:
      return "volatile";
  }
  return "unknown";
}

void print_report(const perdure::OpenReport& report) {
  std::printf("opened %s replayed %llu rolled back %llu reclaimed %llu milliseconds %.3f\n", describe(report.state),
              static_cast<unsigned long long>(report.transactions_replayed),
              static_cast<unsigned long long>(report.transactions_rolled_back),
              static_cast<unsigned long long>(report.blocks_reclaimed), report.milliseconds);
}

void audit(const Bank& bank) {
  const auto expected = static_cast<long>(bank.balance.size()) * opening_balance;
  std::string message;
  for (const auto& error : errors_in(bank, expected)) message += "\n  " + error;
  if (!message.empty()) throw std::runtime_error("the books are wrong:" + message);
  std::printf("accounts %zu total %ld\n", bank.balance.size(), expected);
  for (std::size_t number = 0; number < bank.tellers.size(); ++number) {
    const long transfers = bank.tellers[number].transfers;
    if (transfers > 0) std::printf("teller %zu transfers %ld\n", number, transfers);
  }
}

void run(const Options& options) {
  if (options.check && !std::filesystem::exists(options.pool)) {
    throw std::runtime_error(options.pool + ": no such file; run without --check first, with a durable library");
  }
  auto pool = perdure::Pool::open(options.pool);
  // Transfers need not wait for the mark that follows a crash.
  print_report(options.check ? pool.wait_for_mark() : pool.report());
  Bank& bank = pool.root<Bank>("bank");
  if (!options.check) {
    open_accounts(bank, options.accounts);
    run_tellers(bank, options);
  }
  audit(bank);
}

}  // namespace

int main(int argc, char** argv) {
  Options options;
  if (const auto status = read_command_line(argc, argv, options)) return *status;
  try {
    run(options);
    return EXIT_SUCCESS;
  } catch (const std::exception& error) {
    std::cerr << "transfers: " << error.what() << '\n';
  }
  return EXIT_FAILURE;
}
