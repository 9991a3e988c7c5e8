#include <gtest/gtest.h>

#include "map_oracle.h"
#include "scratch_pool.h"
#include "sets/structures.h"
#include "structures/linked_queue.h"

namespace perdure::benchmarks {
namespace {

/// A set as a map in which every key has the same value.
template <class Set>
struct SetSubject : Set {
  static constexpr bool is_set = true;
  static constexpr std::uint64_t value = 0;

  const std::uint64_t* find(Key key) const { return this->contains(key) ? &value : nullptr; }
  bool insert(Key key, std::uint64_t) { return Set::insert(key); }

  template <class Visit>
  void for_each(Visit visit) const {
    Set::for_each([&](Key key) { visit(key, value); });
  }
};

template <class Set>
class SetTest : public ::testing::Test {};

using AllSets = ::testing::Types<sets::List, sets::Tree, sets::Hash, sets::StandardSet, sets::StandardUnorderedSet>;
TYPED_TEST_SUITE(SetTest, AllSets);

TYPED_TEST(SetTest, BehavesLikeASet) { expect_like_a_map<SetSubject<TypeParam>>(300, 1000); }

TEST(LinkedQueue, GivesItemsBackInOrder) {
  ScratchPool pool;
  auto& queue = pool.get().root<LinkedQueue>("queue");
  Random random(1);
  std::uint64_t added = 0, taken = 0;
  for (int i = 0; i < 3000; ++i) {
    const bool adds = random.percent(i / 300 % 2 == 0 ? 70 : 30);
    const bool rejected = random.percent(20);
    try {
      const auto number = TM_BEGIN {
        std::uint64_t result = 0;
        if (adds) {
          queue.enqueue();
        } else {
          result = queue.dequeue();
        }
        if (rejected) throw i;
        return result;
      } TM_END;
      added += adds;
      if (!adds) ASSERT_EQ(number, taken < added ? taken + 1 : 0);
      if (number != 0) ++taken;
    } catch (int) {
      ASSERT_TRUE(rejected);
    }
    ASSERT_EQ(queue.size(), added - taken);
    ASSERT_EQ(joined(queue.violations()), "");
  }
}

}  // namespace
}  // namespace perdure::benchmarks
