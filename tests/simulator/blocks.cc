// Workloads that allocate and free.
#include <array>
#include <cstring>

#include "factories.h"
#include "stepped.h"
#include "tx/abort.h"

namespace perdure::simulate {
namespace {

// -- list: insert, insert, remove, … ----------------------------------------------------------------------------------

struct Node {
  std::uint64_t value;
  Node* next;
};

struct List {
  Node* first = nullptr;
  std::uint64_t steps = 0;
};

constexpr bool removes(std::uint64_t number) { return number % 3 == 0; }

class ListWorkload : public Stepped<List> {
 protected:
  std::uint64_t steps() const override { return 4; }
  void step(List& root, std::uint64_t number) override {
    TM_BEGIN { change(root, number); } TM_END;
  }
  std::uint64_t steps_taken(List& root) override {
    return execute([&] { return root.steps; });
  }
  void check(List& root, std::uint64_t taken) override {
    const std::vector<std::uint64_t> expected = values_after(taken);
    std::vector<std::uint64_t> found;
    for (const Node* node = root.first; node != nullptr && found.size() <= taken; node = node->next)
      found.push_back(node->value);
    require(std::equal(found.rbegin(), found.rend(), expected.begin(), expected.end()),
            "the list has other elements than those inserted and not removed");
  }
  std::size_t blocks(List&, std::uint64_t taken) const override { return values_after(taken).size(); }

  static void change(List& root, std::uint64_t number) {
    if (removes(number)) {
      Node* const removed = root.first;
      root.first = removed->next;
      delete removed;
    } else {
      root.first = new Node{number, root.first};
    }
    root.steps = number;
  }

 private:
  static std::vector<std::uint64_t> values_after(std::uint64_t taken) {
    std::vector<std::uint64_t> values;
    for (std::uint64_t number = 1; number <= taken; ++number)
      if (removes(number))
        values.pop_back();
      else
        values.push_back(number);
    return values;
  }
};

/// The same, but each transaction is rolled back once.
class AbortsWorkload : public ListWorkload {
  void step(List& root, std::uint64_t number) override {
    is_armed_ = true;
    TM_BEGIN {
      change(root, number);
      abort_once();
    } TM_END;
  }
  PERDURE_PURE static void abort_once() {
    if (!is_armed_) return;
    is_armed_ = false;
    tx::abort(tx::CommitResult::validation);
  }
  static inline bool is_armed_ = false;
};

/// The same, but each transaction is preceded by one that an exception leaves.
class ExceptionsWorkload : public ListWorkload {
  struct ChangeOfMind {};

  void step(List& root, std::uint64_t number) override {
    try {
      TM_BEGIN {
        root.first = new Node{1000 + number, root.first};
        root.steps += 1000;
        throw ChangeOfMind();
      } TM_END;
    } catch (const ChangeOfMind&) {
      ListWorkload::step(root, number);
    }
  }
};

/// An element is made by a transaction that writes nothing else, and linked in by the next one, which does not touch
/// it.
class LateLinkWorkload : public ListWorkload {
  std::uint64_t steps() const override { return 2; }
  void step(List& root, std::uint64_t number) override {
    if (removes(number)) return ListWorkload::step(root, number);
    Node* const first = execute([&] { return root.first; });
    Node* const made = execute([&] { return new Node{number, first}; });
    TM_BEGIN {
      root.first = made;
      root.steps = number;
    } TM_END;
  }
};

// -- blocks of several sizes that take each other's place -------------------------------------------------------------

constexpr std::array<std::size_t, 4> sizes = {40, 300, 700, 24};

struct Block {
  std::uint64_t bytes;

  std::uint8_t* data() { return reinterpret_cast<std::uint8_t*>(this + 1); }
};

struct Slots {
  std::array<Block*, 2> slots{};
  std::uint64_t steps = 0;
};

class ReplaceWorkload : public Stepped<Slots> {
  std::uint64_t steps() const override { return 4; }
  void step(Slots& root, std::uint64_t number) override {
    TM_BEGIN {
      Block*& slot = root.slots[number % 2];
      if (slot != nullptr) std::free(slot);
      const std::size_t bytes = sizes[number % sizes.size()];
      slot = static_cast<Block*>(std::malloc(sizeof(Block) + bytes));
      slot->bytes = bytes;
      std::memset(slot->data(), static_cast<int>(number), bytes);
      root.steps = number;
    } TM_END;
  }
  std::uint64_t steps_taken(Slots& root) override {
    return execute([&] { return root.steps; });
  }
  void check(Slots& root, std::uint64_t taken) override {
    for (std::uint64_t number = taken; number != 0 && number + 2 > taken; --number) {
      Block& block = *root.slots[number % 2];
      require(block.bytes == sizes[number % sizes.size()], "a block has the size of another step");
      for (std::size_t i = 0; i < block.bytes; ++i)
        require(block.data()[i] == static_cast<std::uint8_t>(number), "a block has the contents of another step");
    }
  }
  std::size_t blocks(Slots&, std::uint64_t taken) const override { return std::min<std::size_t>(taken, 2); }
};

// -- growth ----------------------------------------------------------------------------------------------------------

/// Blocks so large that the pool's file has to become longer.
class GrowthWorkload : public Stepped<List> {
  static constexpr std::size_t filler_bytes = 700 * 1024;
  static constexpr std::size_t block_bytes = 70 * 1024;

  std::uint64_t steps() const override { return 2; }
  void prepare(List& root) override { add(root, 0, filler_bytes); }
  void step(List& root, std::uint64_t number) override { add(root, number, block_bytes); }
  std::uint64_t steps_taken(List& root) override {
    return execute([&] { return root.steps; });
  }
  void check(List& root, std::uint64_t taken) override {
    std::uint64_t left = taken + 1;
    for (const Node* node = root.first; node != nullptr; node = node->next)
      require(left != 0 && node->value == --left, "a large block holds something else");
    require(left == 0, "a large block is missing");
  }
  std::size_t blocks(List&, std::uint64_t taken) const override { return taken + 1; }

  static void add(List& root, std::uint64_t number, std::size_t bytes) {
    TM_BEGIN {
      auto* const node = static_cast<Node*>(std::malloc(bytes));
      node->value = number;
      node->next = root.first;
      root.first = node;
      root.steps = number;
    } TM_END;
  }
};

// -- superblocks that are used for something else ---------------------------------------------------------------------

struct Reuse {
  Block* large = nullptr;
  std::array<Block*, 12> small{};
  std::uint64_t stage = 0;
};

/// A large block is allocated and freed, and small blocks of many sizes are put where it was. Between the stages the
/// pool is closed: then freed blocks become free.
class ReuseWorkload : public Workload {
 public:
  void prepare(Pools& pools) override { root_of(pools.front()); }

  void run(const Paths& paths) override {
    for (std::uint64_t stage = 1; stage <= stages; ++stage) {
      Pool pool = Pool::open(paths.front());
      Reuse& root = root_of(pool);
      begin(1, stage);
      enter(root, stage);
      acknowledge(1, stage);
      pool.close();
    }
  }

  void check(Pools& pools, const Notes& notes) override {
    Reuse& root = root_of(pools.front());
    const std::uint64_t stage = execute([&] { return root.stage; });
    require(notes.allow(1, stage), "stage " + std::to_string(stage) + " was not to be seen");
    check_blocks(root, stage);
    const std::size_t expected[] = {1, 2, 1, 1 + root.small.size()};
    require(blocks_in_use(&root) == expected[stage],
            std::to_string(blocks_in_use(&root)) + " blocks are in use, not " + std::to_string(expected[stage]));
    if (stage < stages) {
      begin(1, stage + 1);
      enter(root, stage + 1);
      acknowledge(1, stage + 1);
    }
    check_blocks(root, std::min(stage + 1, stages));
  }

 private:
  static constexpr std::uint64_t stages = 3;
  static constexpr std::size_t large_bytes = 600 * 1024;

  static Reuse& root_of(Pool& pool) { return pool.root<Reuse>("reuse"); }
  static std::size_t size_of(std::size_t small) { return 100 << small / 2; }

  static Block* make(std::size_t bytes) {
    auto* const block = static_cast<Block*>(std::malloc(bytes));
    block->bytes = bytes;
    return block;
  }

  static void enter(Reuse& root, std::uint64_t stage) {
    TM_BEGIN {
      if (stage == 1) root.large = make(large_bytes);
      if (stage == 2) {
        std::free(root.large);
        root.large = nullptr;
      }
      if (stage == 3)
        for (std::size_t i = 0; i < root.small.size(); ++i) root.small[i] = make(size_of(i));
      root.stage = stage;
    } TM_END;
  }

  static void check_blocks(Reuse& root, std::uint64_t stage) {
    require((root.large != nullptr) == (stage == 1), "the large block is there when it should not be, or the reverse");
    require(stage != 1 || root.large->bytes == large_bytes, "the large block holds something else");
    for (std::size_t i = 0; stage == 3 && i < root.small.size(); ++i)
      require(root.small[i]->bytes == size_of(i), "a small block holds something else");
  }
};

}  // namespace

std::unique_ptr<Workload> make_list() { return std::make_unique<ListWorkload>(); }
std::unique_ptr<Workload> make_aborts() { return std::make_unique<AbortsWorkload>(); }
std::unique_ptr<Workload> make_exceptions() { return std::make_unique<ExceptionsWorkload>(); }
std::unique_ptr<Workload> make_late_link() { return std::make_unique<LateLinkWorkload>(); }
std::unique_ptr<Workload> make_replace() { return std::make_unique<ReplaceWorkload>(); }
std::unique_ptr<Workload> make_growth() { return std::make_unique<GrowthWorkload>(); }
std::unique_ptr<Workload> make_reuse() { return std::make_unique<ReuseWorkload>(); }

}  // namespace perdure::simulate
