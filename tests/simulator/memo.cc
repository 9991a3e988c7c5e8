// Workloads over functions whose results are kept.
#include <array>
#include <atomic>
#include <string>
#include <thread>

#include "factories.h"
#include "perdure/memo.h"
#include "stepped.h"

namespace perdure::simulate {
namespace {

using Texts = memo<std::string(std::uint64_t)>;

/// Every other one has a block of its own.
std::string text_of(std::uint64_t number) {
  return std::string(number % 2 == 0 ? 5 : 40, static_cast<char>('a' + number % 26));
}

std::string never(std::uint64_t number) {
  throw Violation("the result for " + std::to_string(number) + " is evaluated again");
}

/// Every step is an evaluation, which needs the one before.
class MemoWorkload : public Stepped<Texts::Table> {
  void step(Texts::Table& table, std::uint64_t number) override {
    Texts texts(table, [](Texts& self, std::uint64_t wanted) {
      if (wanted > 1) require(self(wanted - 1) == text_of(wanted - 1), "the result before is wrong");
      return text_of(wanted);
    });
    require(texts(number) == text_of(number), "a result is wrong");
  }
  std::uint64_t steps_taken(Texts::Table& table) override { return Texts(table, never).statistics().stored; }
  void check(Texts::Table& table, std::uint64_t taken) override {
    Texts texts(table, never);
    require(texts.statistics().entries == taken, "there are other entries than those stored");
    for (std::uint64_t number = 1; number <= taken; ++number)
      require(texts(number) == text_of(number), "a result is wrong");
  }
  bool knows_blocks() const override { return false; }  // the inner nodes of the trie depend on hashes
};

/// More results than the table may hold.
class EvictingMemoWorkload : public Stepped<Texts::Table> {
  static constexpr MemoOptions two{.most_entries = 2};

  std::uint64_t steps() const override { return 4; }
  void step(Texts::Table& table, std::uint64_t number) override {
    Texts texts(table, text_of, two);
    require(texts(number) == text_of(number), "a result is wrong");
  }
  std::uint64_t steps_taken(Texts::Table& table) override { return Texts(table, never).statistics().stored; }
  void check(Texts::Table& table, std::uint64_t taken) override {
    const Texts texts(table, never);
    const MemoStatistics statistics = texts.statistics();
    require(statistics.entries == std::min<std::uint64_t>(taken, 2), "there are more entries than two, or fewer");
    require(statistics.entries + statistics.evicted == taken, "an entry is neither there nor evicted");
    for (std::uint64_t number = 1; number <= taken; ++number) {
      const auto found = texts.find(number);
      require(found.has_value() == (number + 2 > taken), "another result was evicted than the oldest");
      require(!found.has_value() || *found == text_of(number), "a result is wrong");
    }
  }
  bool knows_blocks() const override { return false; }
};

/// Threads that ask for the same results, of which each is a client of its own: what was returned must be there.
class SharedMemoWorkload : public Workload {
 public:
  void prepare(Pools& pools) override { table_of(pools.front()); }

  void run(const Paths& paths) override {
    Pool pool = Pool::open(paths.front());
    std::array<std::atomic<int>, results + 1> calls{};
    Texts texts(table_of(pool), [&](std::uint64_t number) {
      require(++calls[number] == 1, "a result is evaluated twice");
      return text_of(number);
    });
    for (std::uint64_t number = 1; number <= results; ++number) begin(number, 1);
    const auto ask = [&](std::uint64_t first) {
      for (std::uint64_t i = 0; i < results; ++i) {
        const std::uint64_t number = 1 + (first + i) % results;
        require(texts(number) == text_of(number), "a result is wrong");
        acknowledge(number, 1);
      }
    };
    std::thread other(ask, 0);
    ask(0);
    other.join();
    close(pool);
  }

  void check(Pools& pools, const Notes& notes) override {
    check_closed(pools, notes);
    Texts::Table& table = table_of(pools.front());
    Texts texts(table, never);
    for (std::uint64_t number = 1; number <= results; ++number) {
      const auto found = texts.find(number);
      require(notes.allow(number, found.has_value() ? 1 : 0), "a result that was returned is missing");
      require(!found.has_value() || *found == text_of(number), "a result is wrong");
    }
    Texts others(table, text_of);
    for (std::uint64_t number = 1; number <= results; ++number) {
      begin(number, 1);
      require(others(number) == text_of(number), "a result after recovery is wrong");
      acknowledge(number, 1);
    }
  }

 private:
  static constexpr std::uint64_t results = 2;

  static Texts::Table& table_of(Pool& pool) { return pool.root<Texts::Table>("texts"); }
};

}  // namespace

std::unique_ptr<Workload> make_memo() { return std::make_unique<MemoWorkload>(); }
std::unique_ptr<Workload> make_evicting_memo() { return std::make_unique<EvictingMemoWorkload>(); }
std::unique_ptr<Workload> make_shared_memo() { return std::make_unique<SharedMemoWorkload>(); }

}  // namespace perdure::simulate
