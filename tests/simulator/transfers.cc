// Threads that move money between accounts.
#include <array>
#include <thread>

#include "factories.h"
#include "stepped.h"

namespace perdure::simulate {
namespace {

constexpr std::size_t accounts = 3;
constexpr std::size_t tellers = 2;
constexpr std::uint64_t transfers_each = 3;

struct alignas(64) Account {
  std::int64_t balance = 0;
};

struct Bank {
  std::array<Account, accounts> account;
  std::array<std::uint64_t, tellers> made{};
};

/// The transfers of a teller: every third goes between the same two accounts, so that tellers meet.
struct Transfer {
  Transfer(std::size_t teller, std::uint64_t number)
      : from((teller + number) % accounts),
        to((teller + number + 1) % accounts),
        amount(static_cast<std::int64_t>(100 * teller + number)) {}
  std::size_t from;
  std::size_t to;
  std::int64_t amount;
};

void make(Bank& bank, std::size_t teller, std::uint64_t number) {
  const Transfer transfer(teller, number);
  TM_BEGIN {
    bank.account[transfer.from].balance -= transfer.amount;
    bank.account[transfer.to].balance += transfer.amount;
    ++bank.made[teller];
  } TM_END;
}

class TransfersWorkload : public Workload {
 public:
  /// \param reopens  the pool is closed and opened again in between.
  explicit TransfersWorkload(bool reopens) : reopens_(reopens) {}

  void prepare(Pools& pools) override { bank_of(pools.front()); }

  void run(const Paths& paths) override {
    Pool pool = Pool::open(paths.front());
    std::vector<std::thread> threads;
    for (std::size_t teller = 0; teller < tellers; ++teller)
      threads.emplace_back([&pool, teller] {
        for (std::uint64_t number = 1; number <= transfers_each; ++number) make_next(pool, teller, number);
      });
    for (std::thread& thread : threads) thread.join();
    if (reopens_) {
      pool.close();
      pool = Pool::open(paths.front());
      make_next(pool, 0, transfers_each + 1);
    }
    close(pool);
  }

  void check(Pools& pools, const Notes& notes) override {
    check_closed(pools, notes);
    Bank& bank = bank_of(pools.front());
    const Bank found = execute([&] { return bank; });
    for (std::size_t teller = 0; teller < tellers; ++teller)
      require(notes.allow(teller, found.made[teller]),
              "teller " + std::to_string(teller) + " made " + std::to_string(found.made[teller]) + " transfers, " +
                  std::to_string(notes.acknowledged(teller)) + " were acknowledged and " +
                  std::to_string(notes.begun(teller)) + " begun");
    check_balances(found);
    for (std::size_t teller = 0; teller < tellers; ++teller) make_next(pools.front(), teller, found.made[teller] + 1);
    check_balances(execute([&] { return bank; }));
  }

 private:
  static Bank& bank_of(Pool& pool) { return pool.root<Bank>("bank"); }

  static void make_next(Pool& pool, std::size_t teller, std::uint64_t number) {
    begin(teller, number);
    make(bank_of(pool), teller, number);
    acknowledge(teller, number);
  }

  /// Transfers add up in any order, so the numbers of those made say what every balance must be.
  static void check_balances(const Bank& found) {
    Bank expected;
    for (std::size_t teller = 0; teller < tellers; ++teller)
      for (std::uint64_t number = 1; number <= found.made[teller]; ++number) {
        const Transfer transfer(teller, number);
        expected.account[transfer.from].balance -= transfer.amount;
        expected.account[transfer.to].balance += transfer.amount;
      }
    for (std::size_t i = 0; i < accounts; ++i)
      require(found.account[i].balance == expected.account[i].balance,
              "account " + std::to_string(i) + " holds " + std::to_string(found.account[i].balance) + ", not " +
                  std::to_string(expected.account[i].balance));
  }

  bool reopens_;
};

}  // namespace

std::unique_ptr<Workload> make_transfers() { return std::make_unique<TransfersWorkload>(false); }
std::unique_ptr<Workload> make_transfers_reopened() { return std::make_unique<TransfersWorkload>(true); }

}  // namespace perdure::simulate
