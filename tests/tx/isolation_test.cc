// Isolation between threads: no lost update, no read that mixes states (opacity), memory made private stays private.
#include <array>
#include <atomic>
#include <thread>
#include <vector>

#include "by_hand.h"

namespace perdure {
namespace {

using namespace by_hand;

constexpr int threads = 4;
constexpr int rounds = 5'000;
constexpr int rounds_with_yield = 500;  // each may cost a time slice

class Isolation : public PoolTest {
 protected:
  template <class Work>
  void in_parallel(Work&& work) {
    std::vector<std::thread> running;
    for (int i = 0; i < threads; ++i) running.emplace_back([&, i] { work(i); });
    for (std::thread& thread : running) thread.join();
  }

  /// Words that are always equal, `distance` words apart, are equal whenever a transaction reads them, also a doomed
  /// one.
  void expect_one_state(int places, int distance) {
    auto* const shared = words(static_cast<std::size_t>(places) * static_cast<std::size_t>(distance));
    std::atomic<std::uint64_t> mixtures{0};
    in_parallel([&](int thread) {
      for (int i = 0; i < rounds; ++i)
        transact([&] {
          const std::uint64_t first = read(shared[0]);
          if (i % 64 == 0) std::this_thread::yield();  // others commit here
          for (int place = 1; place < places; ++place)
            if (read(shared[place * distance]) != first) mixtures.fetch_add(1);
          if (thread % 2 == 0)
            for (int place = 0; place < places; ++place) write(shared[place * distance], first + 1);
        });
    });
    EXPECT_EQ(mixtures, 0U);
    EXPECT_EQ(shared[0], static_cast<std::uint64_t>(threads) / 2 * rounds);
  }
};

TEST_F(Isolation, NoUpdateIsLost) {
  auto* const shared = words(1);
  std::uint64_t in_ordinary_memory = 0;
  in_parallel([&](int) {
    for (int i = 0; i < rounds; ++i)
      transact([&] {
        write(shared[0], read(shared[0]) + 1);
        write(in_ordinary_memory, read(in_ordinary_memory) + 1);
      });
  });
  EXPECT_EQ(shared[0], static_cast<std::uint64_t>(threads) * rounds);
  EXPECT_EQ(in_ordinary_memory, static_cast<std::uint64_t>(threads) * rounds);
}

TEST_F(Isolation, LocalThatItsThreadSharesWithAnother) {
  if (instance.optimisations.private_stack) GTEST_SKIP() << "stacks are private";
  std::uint64_t local = 0;
  const auto count = [&] {
    for (int i = 0; i < rounds; ++i) transact([&] { write(local, read(local) + 1); });
  };
  std::thread other(count);
  count();
  other.join();
  EXPECT_EQ(local, 2U * rounds);
}

TEST_F(Isolation, NeighbouringBytesAreIndependent) {
  auto* const bytes = reinterpret_cast<std::uint8_t*>(words(1));
  in_parallel([&](int thread) {
    for (int i = 0; i < rounds; ++i)
      transact(
          [&] { perdure_write_u8(bytes + thread, static_cast<std::uint8_t>(perdure_read_u8(bytes + thread) + 1)); });
  });
  for (int thread = 0; thread < threads; ++thread) EXPECT_EQ(bytes[thread], rounds % 256);
}

TEST_F(Isolation, RunningTransactionNeverSeesAMixOfStates) { expect_one_state(16, 8); }
TEST_F(Isolation, RunningTransactionNeverSeesAMixWithinAStripe) { expect_one_state(4, 1); }

TEST_F(Isolation, BytesAreReadAtOneTime) {
  constexpr std::size_t bytes = 150;       // of several stripes, the first and the last in part
  constexpr int few_rounds = rounds / 10;  // each has many writes
  auto* const shared = reinterpret_cast<std::uint8_t*>(words(32)) + 5;
  std::atomic<std::uint64_t> mixtures{0};
  in_parallel([&](int thread) {
    for (int i = 0; i < few_rounds; ++i)
      transact([&] {
        std::array<std::uint8_t, bytes> seen;
        perdure_read_bytes(seen.data(), shared, bytes);
        for (const std::uint8_t byte : seen)
          if (byte != seen[0]) mixtures.fetch_add(1);
        if (thread % 2 != 0) return;
        perdure_memset(shared, seen[0] + 1, bytes / 2);
        perdure_read_bytes(seen.data(), shared, bytes);  // half of it its own
        if (seen[bytes / 2 - 1] == seen[bytes / 2]) mixtures.fetch_add(1);
        perdure_memset(shared + bytes / 2, seen[0], bytes - bytes / 2);
      });
  });
  EXPECT_EQ(mixtures, 0U);
  EXPECT_EQ(shared[bytes - 1], static_cast<std::uint8_t>(threads / 2 * few_rounds));
}

TEST_F(Isolation, SumIsConstantUnderTransfers) {
  constexpr std::uint64_t accounts = 32;
  auto* const balance = words(accounts);
  transact([&] {
    for (std::uint64_t i = 0; i < accounts; ++i) write(balance[i], 1000);
  });
  std::atomic<std::uint64_t> wrong_sums{0};
  in_parallel([&](int thread) {
    std::uint64_t random = static_cast<std::uint64_t>(thread) + 1;
    for (int i = 0; i < rounds; ++i) {
      random = random * 6364136223846793005U + 1442695040888963407U;
      const std::uint64_t from = (random >> 33) % accounts;
      const std::uint64_t to = (random >> 43) % accounts;
      transact([&] {
        write(balance[from], read(balance[from]) - 1);
        write(balance[to], read(balance[to]) + 1);
      });
      if (i % 16 == 0) {
        std::uint64_t sum = 0;
        transact([&] {
          std::uint64_t total = 0;
          for (std::uint64_t account = 0; account < accounts; ++account) total += read(balance[account]);
          write(sum, total);
        });
        if (sum != accounts * 1000) wrong_sums.fetch_add(1);
      }
    }
  });
  EXPECT_EQ(wrong_sums, 0U);
}

/// A list node is unlinked in a transaction and then used without one: in the modes with quiescence nobody may still
/// read or write it.
TEST_F(Isolation, PrivatisedMemoryIsPrivate) {
  if (instance.optimisations.private_stack) GTEST_SKIP() << "a local of this thread leads to the nodes";
  struct Node {
    std::uint64_t value = 0;
  };
  std::uint64_t shared_node = reinterpret_cast<std::uint64_t>(new Node);
  std::atomic<bool> done{false};
  std::atomic<std::uint64_t> torn{0};
  std::thread writer([&] {
    while (!done)
      transact([&] {
        auto* const node = reinterpret_cast<Node*>(read(shared_node));
        write(node->value, read(node->value) + 2);
      });
  });
  for (int i = 0; i < rounds_with_yield; ++i) {
    auto* const fresh = new Node;
    std::uint64_t taken = 0;
    transact([&] {
      write(taken, read(shared_node));
      write(shared_node, reinterpret_cast<std::uint64_t>(fresh));
    });
    auto* const node = reinterpret_cast<Node*>(taken);
    const std::uint64_t value = node->value;
    node->value = value + 1;
    std::this_thread::yield();
    if (node->value != value + 1) torn.fetch_add(1);
    delete node;
  }
  done = true;
  writer.join();
  delete reinterpret_cast<Node*>(shared_node);
  EXPECT_EQ(torn, 0U);
}

}  // namespace
}  // namespace perdure
