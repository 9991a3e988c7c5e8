// Threads that are alone: when they begin, and no longer when they end; and from the first transaction to the last.
// (libs/sched/sole_thread.h)
#include "sched/sole_thread.h"

#include <array>
#include <thread>

#include "factories.h"
#include "stepped.h"

namespace perdure::simulate {
namespace {

struct alignas(64) Word {
  std::uint64_t value = 0;
};

/// For the threads that run their first transaction meanwhile. Those that run beside each other take turns, of some
/// looks at what they wait for; each run begins with the same knowledge of them.
struct Impatient {
  Impatient() {
    sched::patience = {.first = 1, .most = 1};
    using Looks = std::chrono::nanoseconds;
    sched::alternation_limits = {
        .worth_it = 0, .window = Looks(1), .shortest_turn = Looks(4), .first_series = Looks(40)};
    sched::sole_thread.forget_threads();
  }
  Impatient(const Impatient&) = delete;
  Impatient& operator=(const Impatient&) = delete;
  ~Impatient() {
    sched::patience = before_;
    sched::alternation_limits = {};
  }

 private:
  const sched::Patience before_ = sched::patience;
};

/// Two threads add to the same words. Each asks at each of its transactions whether it is alone, or whether it is its
/// turn; so it is, and is not, at different points of each interleaving.
class SoleBesideOthers : public Workload {
 public:
  void prepare(Pools& pools) override { sums_of(pools.front()); }

  void run(const Paths& paths) override {
    const Impatient impatient;
    Pool pool = Pool::open(paths.front());
    Sums& sums = sums_of(pool);
    std::array<std::thread, threads> running;
    for (std::size_t thread = 0; thread < threads; ++thread)
      running[thread] = std::thread([&sums, thread] { add(sums, thread); });
    for (std::thread& thread : running) thread.join();
    close(pool);
  }

  void check(Pools& pools, const Notes& notes) override {
    check_closed(pools, notes);
    Sums& sums = sums_of(pools.front());
    const Sums found = execute([&] { return sums; });
    std::uint64_t expected = 0;
    for (std::size_t thread = 0; thread < threads; ++thread) {
      require(notes.allow(thread, found.added[thread].value),
              "a thread has added " + std::to_string(found.added[thread].value) + " times");
      expected += found.added[thread].value * (thread + 1);
    }
    for (const Word& word : found.words)
      require(word.value == expected, "a sum is " + std::to_string(word.value) + ", not " + std::to_string(expected));
  }

 private:
  static constexpr std::size_t threads = 2;
  static constexpr std::uint64_t additions = 4;

  struct Sums {
    std::array<Word, threads> added;
    std::array<Word, 2> words;
  };

  static Sums& sums_of(Pool& pool) { return pool.root<Sums>("sums"); }

  static void add(Sums& sums, std::size_t thread) {
    for (std::uint64_t number = 1; number <= additions; ++number) {
      begin(thread, number);
      TM_BEGIN {
        const std::uint64_t before = sums.words[0].value;
        std::this_thread::yield();
        sums.words[0].value = before + thread + 1;
        sums.words[1].value += thread + 1;
        ++sums.added[thread].value;
      } TM_END;
      acknowledge(thread, number);
    }
  }
};

struct Item {
  std::uint64_t number;
  std::uint64_t touched;
};

struct Items {
  std::array<Item*, 2> items;
  std::uint64_t steps;
};

/// Blocks are handed out again that records write to which may still be replayed: each step writes to one item and
/// replaces the other.
class Replacements : public Stepped<Items> {
 protected:
  std::uint64_t steps() const override { return 4; }
  void prepare(Items& root) override {
    TM_BEGIN {
      for (Item*& item : root.items) item = new Item{};
    } TM_END;
  }
  void step(Items& root, std::uint64_t number) override {
    TM_BEGIN {
      root.items[(number + 1) % 2]->touched = number;
      delete root.items[number % 2];
      root.items[number % 2] = new Item{number, 0};
      root.steps = number;
    } TM_END;
  }
  std::uint64_t steps_taken(Items& root) override {
    return execute([&] { return root.steps; });
  }
  void check(Items& root, std::uint64_t taken) override {
    if (taken == 0) return;
    const Item newest = execute([&] { return *root.items[taken % 2]; });
    const Item other = execute([&] { return *root.items[(taken + 1) % 2]; });
    require(newest.number == taken && newest.touched == 0, "an item holds what its block held before");
    require(other.number == taken - 1 && other.touched == taken, "an item has lost what was written to it last");
  }
  std::size_t blocks(Items&, std::uint64_t) const override { return 2; }
};

/// To the thread that has freed them, at once: it is alone.
class ReusedAlone : public Replacements {
 public:
  void run(const Paths& paths) override {
    const Impatient impatient;
    std::thread([&] { Replacements::run(paths); }).join();
  }
};

/// To another one, when it may be: each thread takes a step and ends, and leaves to the next what it has freed.
class ReusedByOthers : public Replacements {
  void step(Items& root, std::uint64_t number) override {
    std::thread([&] { Replacements::step(root, number); }).join();
  }
};

}  // namespace

std::unique_ptr<Workload> make_sole_beside_others() { return std::make_unique<SoleBesideOthers>(); }
std::unique_ptr<Workload> make_reused_alone() { return std::make_unique<ReusedAlone>(); }
std::unique_ptr<Workload> make_reused_by_others() { return std::make_unique<ReusedByOthers>(); }

}  // namespace perdure::simulate
