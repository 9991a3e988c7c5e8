#ifndef PERDURE_TESTS_REPLICAS_REPLICATED_POOL_H
#define PERDURE_TESTS_REPLICAS_REPLICATED_POOL_H

#include <csignal>
#include <cstddef>

#include "log/replica_set.h"
#include "perdure/perdure.h"
#include "tests/pool/pool_test.h"

namespace perdure {

/// Words in superblocks of their own.
struct Words {
  struct Word {
    long value = 0;
    std::byte rest[2 * pool::superblock_bytes - sizeof(long)];
  };
  Word* first = new Word;
  Word* second = new Word;
  void* filling = nullptr;
};

inline void set(long& word, long value) {
  TM_BEGIN { word = value; } TM_END;
}

inline long get(const long& word) {
  return execute([&] { return word; });
}

/// How many copies there are.
constexpr log::Copy two_copies = 2;
constexpr log::Copy several_copies = 4;

/// A pool with such words.
class ReplicatedPoolTest : public testing::PoolTest, public ::testing::WithParamInterface<log::Copy> {
 protected:
  ReplicatedPoolTest() { log::ReplicaSet::default_copies = GetParam(); }

  static Words& words_of(Pool& pool) { return pool.root<Words>("words"); }

  void make() const {
    Pool pool = Pool::open(path());
    words_of(pool);
  }

  /// A process updates both words so many times, and is killed.
  void leave_crashed(long updates) const {
    const int status = testing::in_child([&] {
      Pool pool = Pool::open(path());
      Words& words = words_of(pool);
      for (long i = 1; i <= updates; ++i) {
        TM_BEGIN { words.first->value = words.second->value = i; } TM_END;
      }
      raise(SIGKILL);
    });
    ASSERT_TRUE(WIFSIGNALED(status));
  }
};

}  // namespace perdure

#endif
