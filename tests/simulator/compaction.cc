// Blocks that are moved together between the transactions of a program.
#include "compaction/compaction.h"

#include <vector>

#include "factories.h"
#include "recovery/open_pool.h"
#include "stepped.h"

namespace perdure::simulate {
namespace {

struct Link {
  Link* next;
  Link** place;  ///< where the pointer is that leads here
  std::uint32_t number;
};

struct Chain {
  Link* first = nullptr;
  std::uint64_t length = 0;
};

/// A chain with pointers in both directions, of which each link is in a superblock of its own until they are moved
/// together.
class CompactionWorkload : public Stepped<Chain> {
 public:
  void run(const Paths& paths) override {
    recovery::OpenPool pool(paths.front(), {});
    take(pool, 1);
    const std::vector<void*> others = fill_superblock(pool.heap(), root_of(pool).first);
    take(pool, 2);
    for (void* const block : others) pool.heap().deallocate(block);
    require(compaction::compact(pool).superblocks_freed == 1, "nothing was moved");
    take(pool, steps());
    pool.close();
  }

 protected:
  void step(Chain& chain, std::uint64_t number) override {
    TM_BEGIN {
      chain.first = new Link{chain.first, &chain.first, static_cast<std::uint32_t>(number)};
      if (chain.first->next != nullptr) chain.first->next->place = &chain.first->next;
      ++chain.length;
    } TM_END;
  }

  std::uint64_t steps_taken(Chain& chain) override {
    return execute([&] { return chain.length; });
  }

  void check(Chain& chain, std::uint64_t taken) override {
    Link* const* place = &chain.first;
    for (std::uint64_t number = taken; number != 0; --number, place = &(*place)->next) {
      require(*place != nullptr && alloc::heap_of(&chain)->is_block(*place), "a link is not in the pool");
      require((*place)->number == number && (*place)->place == place, "a link is not as it was made");
    }
    require(*place == nullptr, "there are more links than were made");
  }

  std::size_t blocks(Chain&, std::uint64_t taken) const override { return taken; }

 private:
  static Chain& root_of(const recovery::OpenPool& pool) {
    return roots::find_or_make<Chain>(pool.root_table(), "workload");
  }

  void take(const recovery::OpenPool& pool, std::uint64_t number) {
    begin(client, number);
    step(root_of(pool), number);
    acknowledge(client, number);
  }

  /// Takes blocks like this one, until there are none left in its superblock. Nothing durable says so.
  static std::vector<void*> fill_superblock(alloc::Heap& heap, const Link* link) {
    std::vector<void*> blocks;
    do blocks.push_back(heap.allocate(sizeof(Link), alignof(Link), heap.layout_of(link)));
    while (heap.superblocks().number_of(blocks.back()) == heap.superblocks().number_of(link));
    return blocks;
  }
};

}  // namespace

std::unique_ptr<Workload> make_compaction() { return std::make_unique<CompactionWorkload>(); }

}  // namespace perdure::simulate
