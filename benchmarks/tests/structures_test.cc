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

using AllSets = ::testing::Types<SortedList, sets::Tree, sets::Hash, Treap, HashArrayMappedTrie, sets::StandardSet,
                                 sets::StandardUnorderedSet>;
TYPED_TEST_SUITE(SetTest, AllSets);

TYPED_TEST(SetTest, BehavesLikeASet) { expect_like_a_map<SetSubject<TypeParam>>(300, 1000); }

/// The key whose hash this is: each step of the hash can be taken back.
Key key_with_hash(std::uint64_t hash) {
  constexpr std::uint64_t odd = 0xd6e8feb86659fd93;
  std::uint64_t inverse = odd;
  for (int i = 0; i < 5; ++i) inverse *= 2 - odd * inverse;  // twice as many of its bits are right each time
  for (int i = 0; i < 2; ++i) hash = (hash ^ (hash >> 32)) * inverse;
  return hash ^ (hash >> 32);
}

TEST(HashArrayMappedTrie, GrowsLevelsForHashesThatPartLate) {
  ScratchPool pool;
  auto& trie = pool.get().root<HashArrayMappedTrie>("trie");
  std::vector<Key> keys;
  for (unsigned bit = 0; bit < 64; ++bit) keys.push_back(key_with_hash(0x5555555555555555 ^ std::uint64_t{1} << bit));
  ASSERT_EQ(hash_of(keys[63]) ^ hash_of(keys[62]), std::uint64_t{3} << 62);
  for (const bool inserts : {true, false, true}) {
    for (const Key key : keys) {
      const auto changed = TM_BEGIN { return inserts ? trie.insert(key) : trie.erase(key); } TM_END;
      ASSERT_TRUE(changed) << key;
      ASSERT_EQ(joined(trie.violations()), "") << key;
      ASSERT_EQ(trie.contains(key), inserts) << key;
    }
  }
  std::size_t count = 0;
  trie.for_each([&](Key) { ++count; });
  ASSERT_EQ(count, keys.size());
}

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
