// Workloads over containers, roots, several pools, and many words.
#include <array>
#include <map>
#include <string>
#include <vector>

#include "factories.h"
#include "stepped.h"

namespace perdure::simulate {
namespace {

// -- nested containers ------------------------------------------------------------------------------------------------

struct Book {
  std::string title;
  std::uint64_t number;
  bool operator==(const Book&) const = default;
};

using Shelves = std::map<std::uint64_t, std::vector<Book>>;

struct Library {
  Shelves shelves;
  std::uint64_t steps = 0;
};

/// A map of vectors of strings, some of which are long enough to have a block of their own.
class NestedWorkload : public Stepped<Library> {
  static constexpr std::uint64_t shelf_count = 2;

  std::uint64_t steps() const override { return 4; }
  void step(Library& root, std::uint64_t number) override {
    TM_BEGIN {
      change(root.shelves, number);
      root.steps = number;
    } TM_END;
  }
  std::uint64_t steps_taken(Library& root) override {
    return execute([&] { return root.steps; });
  }
  void check(Library& root, std::uint64_t taken) override {
    Shelves expected;
    for (std::uint64_t number = 1; number <= taken; ++number) change(expected, number);
    require(root.shelves == expected, "the shelves hold other books");
  }
  std::size_t blocks(Library& root, std::uint64_t) const override {
    std::size_t count = 0;
    for (const auto& [shelf, books] : root.shelves) {
      count += 2;  // the node and the vector's elements
      for (const Book& book : books) count += book.title.size() > longest_inside ? 1 : 0;
    }
    return count;
  }

  static void change(Shelves& shelves, std::uint64_t number) {
    if (number % 4 == 0) {
      shelves.erase(number % shelf_count);
      return;
    }
    std::vector<Book>& books = shelves[number % shelf_count];
    // So many that they do not fill their block. The end of a vector that does is an address in the next block, which
    // the mark phase then takes to be in use.
    books.reserve(3);
    books.push_back({std::string(length_of(number), letter_of(number)), number});
  }

  static constexpr std::size_t longest_inside = 15;
  static std::size_t length_of(std::uint64_t number) { return number % 2 == 0 ? 5 : 40; }
  static char letter_of(std::uint64_t number) { return static_cast<char>('a' + number % 26); }
};

// -- roots -----------------------------------------------------------------------------------------------------------

struct Extra {
  std::uint64_t value = 7;
};

struct First {
  std::uint64_t unused = 0;
};

/// Every step makes one more root.
class RootsWorkload : public Workload {
 public:
  void run(const Paths& paths) override {
    Pool pool = Pool::open(paths.front());
    for (std::uint64_t number = 1; number <= 2; ++number) {
      begin(1, number);
      make(pool, number);
      acknowledge(1, number);
    }
    close(pool);
  }

  void check(Pools& pools, const Notes& notes) override {
    check_closed(pools, notes);
    const alloc::Heap& heap = *alloc::current_heap();
    const auto& table = heap.mapping().root_table();
    std::uint64_t made = 0;
    while (table.roots[made].object != nullptr) ++made;
    require(notes.allow(1, made), std::to_string(made) + " roots were not to be seen");
    require(blocks_in_use(heap.mapping().base()) == made, "other blocks than the roots are in use");
    begin(1, made + 1);
    for (std::uint64_t number = 1; number <= made + 1; ++number)
      require(make(pools.front(), number).value == 7, "a root is not as it was made");
  }

 private:
  static Extra& make(Pool& pool, std::uint64_t number) { return pool.root<Extra>("extra " + std::to_string(number)); }
};

// -- several pools ---------------------------------------------------------------------------------------------------

struct Half {
  std::uint64_t value = 0;
};

/// Transactions to two pools in turn: what the second holds follows from the first.
class SeveralPoolsWorkload : public Workload {
 public:
  std::size_t pools() const override { return 2; }
  void prepare(Pools& pools) override {
    for (Pool& pool : pools) half_of(pool);
  }

  void run(const Paths& paths) override {
    Pools pools;
    for (const auto& path : paths) pools.push_back(Pool::open(path));
    for (std::uint64_t number = 1; number <= 2; ++number)
      for (std::size_t pool = 0; pool < 2; ++pool) {
        Half& half = half_of(pools[pool]);
        begin(pool, number);
        TM_BEGIN { half.value = number; } TM_END;
        acknowledge(pool, number);
      }
    for (Pool& pool : pools) pool.close();
  }

  void check(Pools& pools, const Notes& notes) override {
    for (std::size_t pool = 0; pool < 2; ++pool) {
      Half& half = half_of(pools[pool]);
      const std::uint64_t value = execute([&] { return half.value; });
      require(notes.allow(pool, value), "pool " + std::to_string(pool) + " holds " + std::to_string(value));
      require(blocks_in_use(&half) == 1, "other blocks than the root are in use");
      begin(pool, value + 1);
      TM_BEGIN { ++half.value; } TM_END;
      acknowledge(pool, value + 1);
    }
  }

 private:
  static Half& half_of(Pool& pool) { return pool.root<Half>("half"); }
};

// -- many words ------------------------------------------------------------------------------------------------------

struct Many {
  static constexpr std::size_t count = 1700;  // more than one segment of the log holds, in every mode
  struct alignas(32) Word {
    std::uint64_t value = 0;
  };
  std::array<Word, count> words{};
};

/// Transactions whose log does not fit into one segment.
class LargeWorkload : public Stepped<Many> {
  std::uint64_t steps() const override { return 2; }
  void step(Many& root, std::uint64_t number) override {
    TM_BEGIN {
      for (Many::Word& word : root.words) word.value = number;
    } TM_END;
  }
  std::uint64_t steps_taken(Many& root) override {
    return execute([&] { return root.words[Many::count / 2].value; });
  }
  void check(Many& root, std::uint64_t taken) override {
    for (const Many::Word& word : root.words) require(word.value == taken, "some words are of another step");
  }
};

}  // namespace

std::unique_ptr<Workload> make_nested() { return std::make_unique<NestedWorkload>(); }
std::unique_ptr<Workload> make_roots() { return std::make_unique<RootsWorkload>(); }
std::unique_ptr<Workload> make_several_pools() { return std::make_unique<SeveralPoolsWorkload>(); }
std::unique_ptr<Workload> make_large() { return std::make_unique<LargeWorkload>(); }

}  // namespace perdure::simulate
