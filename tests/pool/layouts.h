#ifndef PERDURE_TESTS_POOL_LAYOUTS_H
#define PERDURE_TESTS_POOL_LAYOUTS_H

#include <array>
#include <csignal>
#include <cstdint>
#include <optional>

#include "alloc/heap.h"
#include "open/open_pool.h"
#include "pool_test.h"

/// Layouts of blocks, and a pool whose blocks have them.
namespace perdure::testing {

using namespace alloc;

/// A layout as the plugin writes it: with its words behind it.
template <std::size_t count>
struct Layout {
  BlockLayout head;
  std::array<LayoutWords, count> words;

  operator BlockLayout*() { return &head; }
};

constexpr LayoutWords pointers(std::uint32_t offset, std::uint32_t count) {
  return {offset, count, LayoutWords::Kind::pointer, 0, 0, 0, 0};
}

/// Of elements with one pointer.
constexpr Layout<1> one_pointer(std::uint32_t offset, std::uint32_t element_bytes) {
  return {{0, element_bytes, 0, 1, 0}, {pointers(offset, 1)}};
}

constexpr Layout<3> of_all_kinds() {
  return {{0, 64, 16, 3, 0},
          {LayoutWords{0, 1, LayoutWords::Kind::conditional, 1, 1, 0, 8}, pointers(16, 2),
           LayoutWords{40, 3, LayoutWords::Kind::unsure, 0, 0, 0, 0}}};
}

/// Layouts with one word, and one of them for each number.
inline Layout<1> layout_of_number(std::uint32_t number) { return one_pointer(8 * number, 16384); }

class LayoutTest : public PoolTest {
 protected:
  struct Link {
    Link* next;
    std::uint64_t number;
  };

  void open(std::size_t limit = 0) { pool_.emplace(path(), OpenOptions{.size_limit = limit}); }
  void close() { pool_.reset(); }
  Heap& heap() { return pool_->heap(); }
  LayoutNumber number_of(const void* block) {
    return heap().superblocks().layout(heap().superblocks().number_of(block));
  }

  void* allocate(std::size_t bytes, BlockLayout* layout) { return heap().allocate(bytes, 16, layout); }

  /// In a chain from a root, so that it is there after a crash.
  Link* allocate_link(std::size_t bytes, BlockLayout* layout, std::size_t root = 0) {
    roots::Root& entry = pool_->root_table().roots[root];
    entry.name[0] = static_cast<char>('a' + root);
    auto* const link = static_cast<Link*>(allocate(bytes, layout));
    *link = {static_cast<Link*>(entry.object), 0};
    entry.object = link;
    return link;
  }
  Link* chain(std::size_t root = 0) { return static_cast<Link*>(pool_->root_table().roots[root].object); }

  /// In a process that is killed.
  template <class Body>
  void crash(Body&& body) {
    const int status = in_child([&] {
      open();
      body();
      kill(getpid(), SIGKILL);
    });
    ASSERT_TRUE(WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL) << status;
  }

  /// The offset in the file of the first superblock of layouts.
  std::uint64_t table_offset() {
    const Superblocks& superblocks = heap().superblocks();
    for (std::uint64_t number = pool::first_superblock; number < superblocks.count(); ++number)
      if (const auto word = reinterpret_cast<std::uint64_t*>(superblocks.address(2))[number];
          decode(number, word)->kind == Descriptor::Kind::layouts)
        return number * pool::superblock_bytes;
    return 0;
  }

  std::optional<opening::OpenPool> pool_;
};

}  // namespace perdure::testing

#endif
