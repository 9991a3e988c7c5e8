// Workloads of several threads that depend on each other.
#include <array>
#include <thread>

#include "factories.h"
#include "stepped.h"

namespace perdure::simulate {
namespace {

// -- one thread takes over what the other wrote -----------------------------------------------------------------------

struct Relay {
  std::uint64_t source = 0;
  alignas(64) std::uint64_t copy = 0;
  std::uint64_t copies = 0;
};

class RelayWorkload : public Workload {
 public:
  void prepare(Pools& pools) override { relay_of(pools.front()); }

  void run(const Paths& paths) override {
    Pool pool = Pool::open(paths.front());
    Relay& relay = relay_of(pool);
    std::thread writer([&] {
      for (std::uint64_t number = 1; number <= 3; ++number) {
        begin(0, number);
        TM_BEGIN { relay.source = number; } TM_END;
        acknowledge(0, number);
      }
    });
    std::thread copier([&] {
      for (std::uint64_t number = 1; number <= 3; ++number) {
        begin(1, number);
        TM_BEGIN {
          relay.copy = relay.source;
          relay.copies = number;
        } TM_END;
        acknowledge(1, number);
      }
    });
    writer.join();
    copier.join();
    close(pool);
  }

  void check(Pools& pools, const Notes& notes) override {
    check_closed(pools, notes);
    Relay& relay = relay_of(pools.front());
    const Relay found = execute([&] { return relay; });
    require(notes.allow(0, found.source) && notes.allow(1, found.copies), "an acknowledged transaction is missing");
    require(found.copy <= found.source,
            "the copy holds " + std::to_string(found.copy) + ", the original only " + std::to_string(found.source));
    TM_BEGIN { relay.copy = relay.source; } TM_END;
  }

 private:
  static Relay& relay_of(Pool& pool) { return pool.root<Relay>("relay"); }
};

// -- a thread that does little beside one that does much -------------------------------------------------------------

struct alignas(64) Count {
  std::uint64_t value = 0;
};
using Counts = std::array<Count, 2>;

/// Each thread counts for itself. What the slow one leaves to be retired when it is stopped, the busy one must see to.
class UnequalWorkload : public Workload {
 public:
  void prepare(Pools& pools) override { counts_of(pools.front()); }

  void run(const Paths& paths) override {
    Pool pool = Pool::open(paths.front());
    Counts& counts = counts_of(pool);
    std::array<std::thread, 2> threads;
    for (std::uint64_t who = 0; who < 2; ++who)
      threads[who] = std::thread([&counts, who] {
        const std::uint64_t steps = who == 0 ? 2 : 8;
        for (std::uint64_t number = 1; number <= steps; ++number) {
          begin(who, number);
          TM_BEGIN { counts[who].value = number; } TM_END;
          acknowledge(who, number);
        }
      });
    for (std::thread& thread : threads) thread.join();
    close(pool);
  }

  void check(Pools& pools, const Notes& notes) override {
    check_closed(pools, notes);
    Counts& counts = counts_of(pools.front());
    const Counts found = execute([&] { return counts; });
    for (std::uint64_t who = 0; who < 2; ++who)
      require(notes.allow(who, found[who].value), "an acknowledged transaction is missing");
  }

 private:
  static Counts& counts_of(Pool& pool) { return pool.root<Counts>("counts"); }
};

// -- a list that threads add to and take from ------------------------------------------------------------------------

struct Item {
  std::uint64_t owner;
  std::uint64_t number;
  Item* next;
  std::array<std::uint64_t, 10> padding{};  // a size class that the pool has no superblock of at first
};

struct Shared {
  Item* first = nullptr;
  std::array<std::uint64_t, 2> done{};
};

/// Each thread adds an item, adds another, and removes the one before the last, and so on: what is in the list follows
/// from how far each has come.
class SharedListWorkload : public Workload {
 public:
  void prepare(Pools& pools) override { list_of(pools.front()); }

  void run(const Paths& paths) override {
    Pool pool = Pool::open(paths.front());
    Shared& list = list_of(pool);
    std::vector<std::thread> threads;
    for (std::uint64_t owner = 0; owner < 2; ++owner)
      threads.emplace_back([&list, owner] {
        for (std::uint64_t number = 1; number <= 3; ++number) {
          begin(owner, number);
          step(list, owner, number);
          acknowledge(owner, number);
        }
      });
    for (std::thread& thread : threads) thread.join();
    close(pool);
  }

  void check(Pools& pools, const Notes& notes) override {
    check_closed(pools, notes);
    Shared& list = list_of(pools.front());
    check_items(list);
    std::size_t expected = 1;
    for (std::uint64_t owner = 0; owner < 2; ++owner) {
      require(notes.allow(owner, list.done[owner]), "an acknowledged transaction is missing");
      expected += std::min<std::uint64_t>(list.done[owner], 1);
    }
    require(blocks_in_use(&list) == expected,
            std::to_string(blocks_in_use(&list)) + " blocks are in use, not " + std::to_string(expected));
    const std::array<std::uint64_t, 2> done = list.done;
    for (std::uint64_t owner = 0; owner < 2; ++owner) {
      begin(owner, done[owner] + 1);
      step(list, owner, done[owner] + 1);
      acknowledge(owner, done[owner] + 1);
    }
    check_items(list);
  }

 private:
  static Shared& list_of(Pool& pool) { return pool.root<Shared>("list"); }

  static void step(Shared& list, std::uint64_t owner, std::uint64_t number) {
    TM_BEGIN {
      for (Item** link = &list.first; *link != nullptr; link = &(*link)->next) {
        if ((*link)->owner != owner) continue;
        Item* const removed = *link;
        *link = removed->next;
        delete removed;
        break;
      }
      list.first = new Item{owner, number, list.first};
      list.done[owner] = number;
    } TM_END;
  }

  static void check_items(const Shared& list) {
    std::array<std::uint64_t, 2> found{};
    for (const Item* item = list.first; item != nullptr; item = item->next) {
      require(item->owner < 2 && found[item->owner] == 0, "the list has an item too many");
      found[item->owner] = item->number;
    }
    require(found == list.done, "the list has other items than those added last");
  }
};

}  // namespace

std::unique_ptr<Workload> make_relay() { return std::make_unique<RelayWorkload>(); }
std::unique_ptr<Workload> make_unequal() { return std::make_unique<UnequalWorkload>(); }
std::unique_ptr<Workload> make_shared_list() { return std::make_unique<SharedListWorkload>(); }

}  // namespace perdure::simulate
