// Trap 2: a block that was freed and is handed out again is written without its orecs, as somebody's last allocation. A
// transaction that still reads it as what it was (it is doomed, but does not know) must not see that.
#include <atomic>
#include <thread>

#include "by_hand.h"

namespace perdure {
namespace {

using namespace by_hand;

constexpr std::uint64_t sound = 0x50554e44;
constexpr std::uint64_t garbage = 0xdead;

class DoomedReader : public PoolTest {
 protected:
  /// What a reader sees of a node that was sound when it found it, after another thread has taken the node out, freed
  /// it, and filled the next blocks that it was given.
  std::uint64_t what_it_sees() {
    auto* const head = words(1);
    transact([&] {
      auto* const node = allocate_words(node_words);
      write(node[0], sound);
      write(head[0], reinterpret_cast<std::uint64_t>(node));
    });
    std::atomic<bool> found{false}, reused{false};
    std::atomic<std::uint64_t> seen{sound};
    std::thread reader([&] {
      transact([&] {
        auto* const node = reinterpret_cast<std::uint64_t*>(read(head[0]));
        if (node == nullptr) return;  // a later attempt
        found = true;
        while (!reused) std::this_thread::yield();
        seen = read(node[0]);
      });
    });
    while (!found) std::this_thread::yield();
    transact([&] {
      entry::transactional_free(reinterpret_cast<void*>(read(head[0])));
      write(head[0], 0);
    });
    for (int i = 0; i < 10; ++i) transact([&] { write(allocate_words(node_words)[0], garbage); });
    reused = true;
    reader.join();
    return seen;
  }

 private:
  static constexpr std::size_t node_words = 37;  // a size that nothing else here has
};

TEST_F(DoomedReader, SeesTheNodeAsItWas) {
  if (instance.optimisations.immediate_reuse) GTEST_SKIP() << "the published order";
  EXPECT_EQ(what_it_sees(), sound);
}

TEST_F(DoomedReader, SeesGarbageInThePublishedOrder) {
  if (!instance.optimisations.immediate_reuse) GTEST_SKIP() << "only the published order";
  EXPECT_EQ(what_it_sees(), garbage) << "this test has lost its point: the order is harmless now";
}

}  // namespace
}  // namespace perdure
