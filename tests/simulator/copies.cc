// Where a library keeps several copies of memory: a pool of which several superblocks have one, and who reads the copy
// that an update would like to write to.
#include <atomic>
#include <cstddef>
#include <iterator>
#include <thread>
#include <utility>

#include "factories.h"
#include "log/replica_set.h"
#include "stepped.h"

namespace perdure::simulate {
namespace {

/// Blocks of sizes that are not in the same superblock.
struct Near {
  std::uint64_t value = 1;
};
struct Far {
  std::uint64_t value = 2;
  std::byte rest[4000];
};

struct Apart {
  Near* near = new Near;
  Far* far = new Far;
  std::uint64_t swaps = 0;
};

/// Two words in different superblocks change places.
class ApartWorkload : public Stepped<Apart> {
  void step(Apart& root, std::uint64_t) override {
    TM_BEGIN {
      std::swap(root.near->value, root.far->value);
      ++root.swaps;
    } TM_END;
  }
  std::uint64_t steps_taken(Apart& root) override {
    return execute([&] { return root.swaps; });
  }
  void check(Apart& root, std::uint64_t taken) override {
    const auto [near, far] = execute([&] { return std::pair(root.near->value, root.far->value); });
    require(near == 1 + taken % 2 && far == 2 - taken % 2, "after " + std::to_string(taken) + " swaps the words are " +
                                                               std::to_string(near) + " and " + std::to_string(far));
  }
  std::size_t blocks(Apart&, std::uint64_t) const override { return 2; }
};

struct Observed {
  std::uint64_t first = 0;
  alignas(64) std::uint64_t second = 0;
  // What a reader has seen of them.
  alignas(64) std::uint64_t seen_first = 0;
  std::uint64_t seen_second = 0;
};

/// A thread changes two words together as another looks at them, which then notes what it has seen.
class ObservedWorkload : public Workload {
 public:
  void prepare(Pools& pools) override { root_of(pools.front()); }

  void run(const Paths& paths) override {
    Pool pool = Pool::open(paths.front());
    Observed& root = root_of(pool);
    change(root, 1);  // the superblock has its replica, which takes long to make
    std::thread writer([&root] {
      for (std::uint64_t number = 2; number <= changes; ++number) change(root, number);
    });
    // A thread of its own: it has written nothing yet, and so is not taken for one that will.
    std::thread reader([&root] {
      const auto [first, second] = execute([&root] { return look_long(root); });
      TM_BEGIN {
        root.seen_first = first;
        root.seen_second = second;
      } TM_END;
    });
    reader.join();
    writer.join();
    close(pool);
  }

  void check(Pools& pools, const Notes& notes) override {
    check_closed(pools, notes);
    Observed& root = root_of(pools.front());
    const Observed found = execute([&] { return Observed(root); });
    require(found.first == found.second && notes.allow(1, found.first), "the words are not as any change left them");
    require(found.seen_first == found.seen_second,
            "who looked has seen " + std::to_string(found.seen_first) + " and " + std::to_string(found.seen_second));
  }

 private:
  static constexpr std::uint64_t changes = 4;
  static constexpr int looks = 100;

  static void change(Observed& root, std::uint64_t number) {
    begin(1, number);
    TM_BEGIN { root.first = root.second = number; } TM_END;
    acknowledge(1, number);
  }

  /// \returns the last that it has seen, or the first that do not go together.
  static std::pair<std::uint64_t, std::uint64_t> look_long(const Observed& root) {
    std::pair<std::uint64_t, std::uint64_t> seen;
    for (int i = 0; i < looks && seen.first == seen.second; ++i) {
      seen.first = root.first;
      std::this_thread::yield();
      seen.second = root.second;
    }
    return seen;
  }

  static Observed& root_of(Pool& pool) { return pool.root<Observed>("observed"); }
};

/// Readers are stopped while a thread makes updates, so that these go from copy to copy, and at last to one that was
/// left far behind. (Of two copies there is none to go to: then nobody is stopped.)
class LeftBehindWorkload : public Workload {
 public:
  void prepare(Pools& pools) override { root_of(pools.front()); }

  void run(const Paths& paths) override {
    Pool pool = Pool::open(paths.front());
    Words& root = root_of(pool);
    change(root, 1);
    {
      const Stopped reader(root);
      for (std::uint64_t number = 2; number < changes - 1; ++number) change(root, number);
    }
    {
      const Stopped reader(root);
      for (std::uint64_t number = changes - 1; number <= changes; ++number) change(root, number);
    }
    close(pool);
  }

  void check(Pools& pools, const Notes& notes) override {
    check_closed(pools, notes);
    Words& root = root_of(pools.front());
    const Words found = execute([&] { return Words(root); });
    require(notes.allow(1, found.last), "the last change is none of those that it may be");
    for (std::uint64_t i = 0; i < std::size(found.words); ++i) {
      const std::uint64_t last = found.last < i ? 0 : found.last - (found.last - i) % std::size(found.words);
      require(found.words[i].value == last, "word " + std::to_string(i) + " is not as the changes left it");
    }
  }

 private:
  static constexpr std::uint64_t changes = 8;

  struct alignas(64) Word {
    std::uint64_t value = 0;
  };
  struct Words {
    std::uint64_t last = 0;
    Word words[4];  // by turns
  };

  /// A transaction in another thread which reads that is not at its end before this object is destroyed.
  class Stopped {
   public:
    explicit Stopped(const Words& root) : thread_([this, &root] { execute([&] { return stop_at(root.last); }); }) {
      while (!is_stopped_) std::this_thread::yield();
    }
    Stopped(const Stopped&) = delete;
    Stopped& operator=(const Stopped&) = delete;
    ~Stopped() {
      may_go_on_ = true;
      thread_.join();
    }

   private:
    PERDURE_PURE std::uint64_t stop_at(std::uint64_t value) {
      is_stopped_ = true;
      const bool may_stop = log::ReplicaSet::default_copies > 3;
      while (may_stop && !may_go_on_) std::this_thread::yield();
      return value;
    }

    std::atomic<bool> is_stopped_{false};
    std::atomic<bool> may_go_on_{false};
    std::thread thread_;
  };

  static void change(Words& root, std::uint64_t number) {
    begin(1, number);
    TM_BEGIN {
      root.last = number;
      root.words[number % std::size(root.words)].value = number;
    } TM_END;
    acknowledge(1, number);
  }

  static Words& root_of(Pool& pool) { return pool.root<Words>("left behind"); }
};

}  // namespace

std::unique_ptr<Workload> make_left_behind() { return std::make_unique<LeftBehindWorkload>(); }
std::unique_ptr<Workload> make_apart() { return std::make_unique<ApartWorkload>(); }
std::unique_ptr<Workload> make_observed() { return std::make_unique<ObservedWorkload>(); }

}  // namespace perdure::simulate
