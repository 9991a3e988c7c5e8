// What comes after a transaction over several pools must not depend on what it has left behind.
#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <new>
#include <thread>

#include "factories.h"
#include "stepped.h"

namespace perdure::simulate {
namespace {

struct Block {
  Block* next;
};

struct Part {
  std::uint64_t steps = 0;
  Block* blocks = nullptr;
  std::uint64_t block_count = 0;
};

Part& part_of(Pool& pool) { return pool.root<Part>("part"); }

std::uint64_t steps_in(const Part& part) {
  return execute([&] { return part.steps; });
}

enum Client : std::uint64_t { stepping = 1, ending = 2 };

/// One step over two pools, by a thread of its own: what it flushed and did not fence, nobody will fence. Blocks come
/// from the first pool, and so does the decision.
void step(Part& first, Part& second) {
  std::thread([&] {
    begin(stepping, 1);
    Part* const coordinator = &first;
    Part* const other = &second;
    TM_BEGIN {
      coordinator->steps = 1;
      other->steps = 1;
    } TM_END;
    acknowledge(stepping, 1);
  }).join();
}

void require_step(const Part& first, const Part& second, const Notes& notes) {
  const std::uint64_t taken = steps_in(first);
  require(notes.allow(stepping, taken), "a step is missing, or was not to be seen");
  require(steps_in(second) == taken, "a step is in one pool only");
}

/// A file under another name, where nobody looks for it.
class Away {
 public:
  explicit Away(std::filesystem::path path) : path_(std::move(path)), folder_(path_.string() + ".away") {
    std::filesystem::create_directory(folder_);
    std::filesystem::rename(path_, folder_ / path_.filename());
  }
  Away(const Away&) = delete;
  Away& operator=(const Away&) = delete;
  ~Away() {
    std::error_code error;
    std::filesystem::rename(folder_ / path_.filename(), path_, error);
    std::filesystem::remove(folder_, error);
  }

 private:
  std::filesystem::path path_;
  std::filesystem::path folder_;
};

/// Once the pool that decided has been closed, the other one can do without it.
class DepartedWorkload : public Workload {
 public:
  std::size_t pools() const override { return 2; }
  void prepare(Pools& pools) override {
    for (Pool& pool : pools) part_of(pool);
  }

  void run(const Paths& paths) override {
    Pools pools = open_all(paths);
    step(part_of(pools[0]), part_of(pools[1]));
    begin(ending, 1);
    pools[0].close();
    acknowledge(ending, 1);
    Part& left = part_of(pools[1]);
    TM_BEGIN { ++left.block_count; } TM_END;
    pools[1].close();
  }

  void recover_and_check(const Paths& paths, const Notes& notes) override {
    if (notes.acknowledged(ending) != 0) {
      const Away away(paths[0]);
      Pool pool = Pool::open(paths[1]);
      require(steps_in(part_of(pool)) == 1, "a step is missing");
      pool.close();
    }
    Workload::recover_and_check(paths, notes);
  }
  void check(Pools& pools, const Notes& notes) override { require_step(part_of(pools[0]), part_of(pools[1]), notes); }
};

constexpr std::size_t block_bytes = 60'000;  // a superblock of its own

/// In a transaction. \returns whether there was room.
bool add_block(Part* part) {
  auto* const block = static_cast<Block*>(std::malloc(block_bytes));
  if (block == nullptr) return false;
  block->next = part->blocks;
  part->blocks = block;
  ++part->block_count;
  return true;
}

void require_blocks(const Part& part) {
  std::uint64_t blocks = 0;
  for (const Block* block = part.blocks; block != nullptr; block = block->next) ++blocks;
  require(blocks == part.block_count, "a block is missing, or there is one too many");
}

/// Two pools, of which the first one cannot grow.
class LimitedWorkload : public Workload {
 public:
  std::size_t pools() const override { return 2; }
  void prepare(Pools& pools) override {
    for (Pool& pool : pools) part_of(pool);
  }

 protected:
  static Pools open_limited(const Paths& paths) {
    Pools pools;
    pools.push_back(Pool::open(paths[0], {.size_limit = std::filesystem::file_size(paths[0])}));
    pools.push_back(Pool::open(paths[1]));
    return pools;
  }
};

/// When the pool is full, log segments are used for other things: those of the step, too.
class FullWorkload : public LimitedWorkload {
 public:
  void run(const Paths& paths) override {
    Pools pools = open_limited(paths);
    Part& part = part_of(pools[0]);
    step(part, part_of(pools[1]));
    fill(part);
    for (Pool& pool : pools) pool.close();
  }

  void check(Pools& pools, const Notes& notes) override {
    require_step(part_of(pools[0]), part_of(pools[1]), notes);
    require_blocks(part_of(pools[0]));
  }

 private:
  static void fill(Part& part) {
    try {
      bool has_room = true;
      while (has_room) {
        TM_BEGIN { has_room = add_block(&part); } TM_END;
      }
    } catch (const std::bad_alloc&) {  // there was room for the block, and none for the log
    }
  }
};

/// A transaction holds the segments in which the step had prepared its logs, while the segments of these logs are used
/// for other things.
class HeldWorkload : public LimitedWorkload {
 public:
  void run(const Paths& paths) override {
    Pools pools = open_limited(paths);
    Part* const full = &part_of(pools[0]);
    Part* const other = &part_of(pools[1]);
    TM_BEGIN { full->block_count = 0; } TM_END;  // so that this thread has a log of its own there
    step(*other, *full);
    try {
      TM_BEGIN {
        full->block_count = 0;
        other->block_count = 0;
        while (add_block(full)) ++other->block_count;
      } TM_END;
    } catch (const std::bad_alloc&) {  // there was room for the block, and none for the log
    }
    for (Pool& pool : pools) pool.close();
  }

  void check(Pools& pools, const Notes& notes) override {
    const Part& full = part_of(pools[0]);
    const Part& other = part_of(pools[1]);
    require_step(other, full, notes);
    require_blocks(full);
    require(full.block_count == other.block_count, "blocks are counted in one pool only");
  }
};

}  // namespace

std::unique_ptr<Workload> make_crossing_departed() { return std::make_unique<DepartedWorkload>(); }
std::unique_ptr<Workload> make_crossing_full() { return std::make_unique<FullWorkload>(); }
std::unique_ptr<Workload> make_crossing_held() { return std::make_unique<HeldWorkload>(); }

}  // namespace perdure::simulate
