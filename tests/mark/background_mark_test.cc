// The mark in its own threads, beside others that run transactions: as users have it.
#include <algorithm>
#include <atomic>
#include <optional>
#include <random>
#include <thread>

#include "crashed_pool.h"

namespace perdure::testing {
namespace {

using by_hand::read, by_hand::transact, by_hand::write;

class BackgroundMarkTest : public MarkTest {
 protected:
  static constexpr std::uint64_t lists = 16;
  static constexpr std::uint64_t nodes = 400;  // in a list
  static constexpr unsigned threads = 3;

  void make_lists() {
    make_crashed([&](opening::OpenPool& pool) {
      for (std::uint64_t list = 0; list < lists; ++list) make_list(pool.root_table().roots[list], nodes, list * nodes);
    });
  }

  /// Exchanges leaves, and replaces them by equal ones, until told to stop.
  static void shuffle(const std::vector<Node*>& all, unsigned seed, const std::atomic<bool>& stop) {
    std::minstd_rand random(seed);
    while (!stop) {
      Node* const one = all[random() % all.size()];
      Node* const other = all[random() % all.size()];
      if (one == other) continue;
      transact([&] {
        const std::uint64_t leaf = read(one->leaf);
        write(one->leaf, read(other->leaf));
        write(other->leaf, leaf);
      });
      transact([&] {
        Leaf* const leaf = pointer<Leaf>(read(one->leaf));
        write(one->leaf, reinterpret_cast<std::uint64_t>(make_leaf(read(leaf->number))));
        entry::transactional_free(leaf);
      });
    }
  }

  static std::vector<Node*> all_nodes(opening::OpenPool& pool) {
    std::vector<Node*> all;
    for (std::uint64_t list = 0; list < lists; ++list) {
      const auto of_list = nodes_of(pool.root_table().roots[list]);
      all.insert(all.end(), of_list.begin(), of_list.end());
    }
    return all;
  }

  template <class While>
  static void shuffle_while(opening::OpenPool& pool, While&& wait) {
    const std::vector<Node*> all = all_nodes(pool);
    std::atomic<bool> stop{false};
    std::vector<std::thread> workers;
    for (unsigned i = 0; i < threads; ++i) workers.emplace_back([&, i] { shuffle(all, i + 1, stop); });
    wait();
    stop = true;
    for (std::thread& worker : workers) worker.join();
  }

  static void expect_whole(opening::OpenPool& pool) {
    std::vector<bool> found(lists * nodes);
    for (const Node* const node : all_nodes(pool)) {
      const Leaf* const leaf = pointer<Leaf>(node->leaf);
      ASSERT_TRUE(pool.heap().is_block(node) && pool.heap().is_block(leaf));
      ASSERT_EQ(leaf->check, check_of(leaf->number));
      ASSERT_LT(leaf->number, found.size());
      ASSERT_FALSE(found[leaf->number]) << "twice";
      found[leaf->number] = true;
    }
    EXPECT_TRUE(std::ranges::all_of(found, [](bool is_found) { return is_found; }));
  }

  void expect_clean_and_whole() const {
    opening::OpenPool pool(path(), {});
    EXPECT_EQ(pool.report().state, OpenReport::State::clean);
    expect_whole(pool);
  }
};

TEST_F(BackgroundMarkTest, TransactionsRunBesideIt) {
  make_lists();
  for (int round = 0; round < 30; ++round) {
    const std::string crashed = read_all(path());
    {
      opening::OpenPool pool(path(), {});
      EXPECT_EQ(pool.report().state, OpenReport::State::recovered);
      shuffle_while(pool, [&] { pool.wait_for_mark(); });
      shuffle_while(pool, [] { std::this_thread::sleep_for(std::chrono::milliseconds(2)); });
      expect_whole(pool);
      EXPECT_FALSE(pool.report().mark_is_running);
      EXPECT_GE(pool.report().bytes_marked, lists * nodes * (sizeof(Node) + sizeof(Leaf)));
    }
    expect_clean_and_whole();
    write_all(path(), crashed);
  }
}

TEST_F(BackgroundMarkTest, ClosingWaitsForIt) {
  make_lists();
  for (int round = 0; round < 10; ++round) {
    const std::string crashed = read_all(path());
    opening::OpenPool(path(), {}).close();
    expect_clean_and_whole();
    write_all(path(), crashed);
  }
}

TEST_F(BackgroundMarkTest, KilledAtAnyTimeItLosesNothing) {
  make_lists();
  std::minstd_rand random(1);
  for (int round = 0; round < 30; ++round) {
    const pid_t child = fork();
    if (child == 0) {
      opening::OpenPool pool(path(), {});
      shuffle_while(pool, [] { std::this_thread::sleep_for(std::chrono::seconds(20)); });
      _exit(1);
    }
    usleep(random() % 20000);
    kill(child, SIGKILL);
    int status = 0;
    waitpid(child, &status, 0);
    ASSERT_TRUE(WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL) << status;
  }
  opening::OpenPool pool(path(), {.wait_for_mark = true});
  EXPECT_FALSE(pool.report().mark_is_running);
  EXPECT_GT(pool.report().blocks_reclaimed, 0u);
  expect_whole(pool);
}

TEST_F(BackgroundMarkTest, AForkedChildDoesNotWaitForIt) {
  make_lists();
  const int status = in_child([&] {
    int inner = 1;
    {
      std::optional<opening::OpenPool> pool(std::in_place, path(), OpenOptions{});
      inner = in_child([&] { pool.reset(); });
    }
    _exit(inner == 0 ? 0 : 1);
  });
  EXPECT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) == 0) << status;
}

TEST_F(BackgroundMarkTest, PoolReportsIt) {
  make_lists();
  Pool pool = Pool::open(path());
  EXPECT_EQ(pool.report().state, OpenReport::State::recovered);
  const OpenReport& report = pool.wait_for_mark();
  EXPECT_EQ(&report, &pool.report());
  EXPECT_FALSE(report.mark_is_running);
  EXPECT_GT(report.bytes_marked, 0u);
  EXPECT_GT(report.mark_milliseconds, 0.0);
}

}  // namespace
}  // namespace perdure::testing
