// Threads that move money in serial and in ordinary transactions, until they are stopped by their time or by a kill.
// Its command line and its report are those of the bank (examples/bank/transfers.cc), so that bank_crash_test.py can
// kill it. The serial ones also print: each of them once, and what is printed and what is stored differ by one at most.
#include <fcntl.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <deque>
#include <fstream>
#include <map>
#include <random>
#include <stdexcept>
#include <string>

#include "victim.h"

namespace {

using namespace perdure::testing;

constexpr std::size_t accounts = 16;
constexpr long opening_balance = 1000;
constexpr std::size_t most_remembered = 8;

struct alignas(64) Teller {
  long transfers = 0;
  long printed = 0;  // of its serial transactions
  std::deque<long> latest;
};

struct Bank {
  std::array<long, accounts> balance;
  std::array<Teller, most_threads> teller;
  Bank() { balance.fill(opening_balance); }
};

struct Transfer {
  std::size_t teller, from, to;
  long amount;
};

/// \returns its number.
long move_money(Bank& bank, const Transfer& transfer) {
  Teller& teller = bank.teller[transfer.teller];
  bank.balance[transfer.from] -= transfer.amount;
  bank.balance[transfer.to] += transfer.amount;
  teller.latest.push_back(++teller.transfers);
  if (teller.latest.size() > most_remembered) teller.latest.pop_front();
  return teller.transfers;
}

/// A line for each serial transaction.
class Paper {
 public:
  explicit Paper(const std::string& path) : file_(open(path.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_APPEND, 0600)) {
    if (file_ < 0) throw std::runtime_error("cannot open " + path);
  }
  ~Paper() { close(file_); }
  Paper(const Paper&) = delete;
  Paper& operator=(const Paper&) = delete;

  /// No transaction of an ordinary kind could: it is a system call.
  void print(std::size_t teller, long number) const {
    char line[64];
    const int size = std::snprintf(line, sizeof line, "%zu %ld\n", teller, number);
    if (write(file_, line, static_cast<std::size_t>(size)) != size) throw std::runtime_error("cannot print");
  }

 private:
  int file_;
};

long transfer_serially(Bank& bank, const Transfer& transfer, const Paper& paper) {
  long number = 0;
  TM_SERIAL {
    number = move_money(bank, transfer);
    paper.print(transfer.teller, ++bank.teller[transfer.teller].printed);
  }
  TM_END;
  return number;
}

long become_serial_and_print(Bank& bank, const Transfer& transfer, const Paper& paper) {
  long number = 0;
  TM_BEGIN {
    number = move_money(bank, transfer);
    perdure::become_serial();
    paper.print(transfer.teller, ++bank.teller[transfer.teller].printed);
  } TM_END;
  return number;
}

long transfer_silently(Bank& bank, const Transfer& transfer) {
  long number = 0;
  TM_BEGIN { number = move_money(bank, transfer); } TM_END;
  return number;
}

void work(Bank& bank, std::size_t teller, const VictimOptions& options, const Paper& paper,
          const std::atomic<bool>& running) {
  std::mt19937_64 random(std::random_device{}());
  while (running) {
    const Transfer transfer{teller, random() % accounts, random() % accounts, static_cast<long>(random() % 100)};
    const auto kind = random() % 3;
    acknowledge(options, teller,
                kind == 0   ? transfer_serially(bank, transfer, paper)
                : kind == 1 ? become_serial_and_print(bank, transfer, paper)
                            : transfer_silently(bank, transfer));
  }
}

/// The last run printed every serial transaction once, and stored all of them but perhaps the last.
void check_paper(const Bank& bank, const std::string& path) {
  std::ifstream paper(path);
  std::map<std::size_t, long> last;
  std::size_t teller = 0;
  long number = 0;
  const auto name = [&] { return "teller " + std::to_string(teller) + " printed " + std::to_string(number); };
  while (paper >> teller >> number) {
    const auto [before, is_first] = last.try_emplace(teller, number);
    if (!is_first && number != before->second + 1)
      throw std::runtime_error(name() + " after " + std::to_string(before->second));
    before->second = number;
  }
  for (std::size_t unfinished = 0; const auto& [who, printed] : last) {
    teller = who, number = printed;
    const long stored = bank.teller[who].printed;
    unfinished += printed != stored;
    if (printed < stored || printed > stored + 1 || unfinished > 1)
      throw std::runtime_error(name() + ", and " + std::to_string(stored) + " are stored");
  }
}

void check(const Bank& bank) {
  long total = 0;
  for (const long balance : bank.balance) total += balance;
  constexpr long expected = static_cast<long>(accounts) * opening_balance;
  if (total != expected)
    throw std::runtime_error("there are " + std::to_string(total) + " in all, not " + std::to_string(expected));
  for (std::size_t teller = 0; teller < most_threads; ++teller) {
    const auto& [transfers, printed, latest] = bank.teller[teller];
    long number = transfers - static_cast<long>(latest.size());
    for (const long remembered : latest)
      if (remembered != ++number) throw std::runtime_error("a note of a teller is wrong");
    print_transfers(teller, transfers);
  }
}

void run(const VictimOptions& options) {
  OpenSummary summary;
  perdure::Pool pool = perdure::Pool::open(options.path);
  summary.add(pool.wait_for_mark());
  Bank& bank = pool.root<Bank>("bank");
  summary.print();
  if (options.check) return check_paper(bank, options.path + ".paper"), check(bank);
  const Paper paper(options.path + ".paper");
  run_threads(options, [&](std::size_t teller, const auto& running) { work(bank, teller, options, paper, running); });
  check(bank);
}

}  // namespace

int main(int count, char** arguments) {
  return run_victim("Moves money, and prints in serial transactions", count, arguments, run);
}
