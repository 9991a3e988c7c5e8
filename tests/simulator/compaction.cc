// Blocks that are moved together between the transactions of a program.
#include "compaction/compaction.h"

#include <vector>

#include "chain.h"
#include "factories.h"
#include "open/open_pool.h"

namespace perdure::simulate {
namespace {

/// Each link is in a superblock of its own until they are moved together.
class CompactionWorkload : public ChainWorkload {
 public:
  void run(const Paths& paths) override {
    opening::OpenPool pool(paths.front(), {});
    take(root_of(pool), 1);
    const std::vector<void*> others = fill_superblock(pool.heap(), root_of(pool).first);
    take(root_of(pool), 2);
    for (void* const block : others) pool.heap().deallocate(block);
    require(compaction::compact(pool).superblocks_freed == 1, "nothing was moved");
    take(root_of(pool), steps());
    pool.close();
  }

 private:
  static Chain& root_of(const opening::OpenPool& pool) {
    return roots::find_or_make<Chain>(pool.root_table(), "workload");
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
