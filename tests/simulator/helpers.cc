// Threads that make updates of each other, where the library has them do that.
#include <algorithm>
#include <array>
#include <thread>
#include <vector>

#include "factories.h"
#include "stepped.h"

namespace perdure::simulate {
namespace {

constexpr std::size_t threads = 3;
constexpr std::size_t first = threads;  // who makes the first update

struct Item {
  std::uint64_t owner;
  Item* before;
};

struct Work {
  std::array<std::uint64_t, threads + 1> done{};  // by the thread's own count, whoever has made it
  std::uint64_t updates = 0;
  Item* items = nullptr;
};

/// \returns which update it is, of all.
std::uint64_t update(Work& work, std::uint64_t who) {
  std::uint64_t number = 0;
  TM_BEGIN {
    ++work.done[who];
    number = ++work.updates;
    work.items = new Item{who, work.items};
  } TM_END;
  return number;
}

class HelpersWorkload : public Workload {
 public:
  void prepare(Pools& pools) override { work_of(pools.front()); }

  void run(const Paths& paths) override {
    Pool pool = Pool::open(paths.front());
    Work& work = work_of(pool);
    // The first update of a pool is made alone, in any case.
    begin(first, 1);
    update(work, first);
    acknowledge(first, 1);
    std::array<std::array<std::uint64_t, updates>, threads> numbers{};
    std::vector<std::thread> all;
    for (std::size_t who = 0; who < threads; ++who)
      all.emplace_back([&, who] {
        for (std::uint64_t number = 1; number <= updates; ++number) {
          begin(who, number);
          numbers[who][number - 1] = update(work, who);
          acknowledge(who, number);
        }
      });
    for (std::thread& thread : all) thread.join();
    close(pool);
    std::vector<std::uint64_t> made;
    for (const auto& own : numbers) {
      require(std::ranges::is_sorted(own), "a thread's updates have come in another order");
      made.insert(made.end(), own.begin(), own.end());
    }
    std::ranges::sort(made);
    for (std::size_t i = 0; i < made.size(); ++i) require(made[i] == i + 2, "an update was not made once");
  }

  void check(Pools& pools, const Notes& notes) override {
    check_closed(pools, notes);
    Work& work = work_of(pools.front());
    const Work found = execute([&] { return work; });
    std::array<std::uint64_t, threads + 1> items{};
    execute([&] {
      for (const Item* item = work.items; item != nullptr; item = item->before) ++items[item->owner];
    });
    std::uint64_t sum = 0;
    for (std::uint64_t who = 0; who <= threads; ++who) {
      const std::uint64_t done = found.done[who];
      require(notes.allow(who, done), std::to_string(done) + " updates of a thread were made, " +
                                          std::to_string(notes.acknowledged(who)) + " acknowledged");
      require(items[who] == done, "an update was made in part");
      sum += done;
    }
    require(found.updates == sum, "the updates do not add up");
    require(update(work, 0) == sum + 1, "an update after recovery had no effect");
  }

 private:
  static constexpr std::uint64_t updates = 3;
  static Work& work_of(Pool& pool) { return pool.root<Work>("work"); }
};

}  // namespace

std::unique_ptr<Workload> make_helpers() { return std::make_unique<HelpersWorkload>(); }

}  // namespace perdure::simulate
