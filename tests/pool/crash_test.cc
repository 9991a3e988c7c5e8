#include <signal.h>
#include <sys/mman.h>

#include <atomic>
#include <cstring>
#include <random>
#include <thread>
#include <vector>

#include "alloc/heap.h"
#include "perdure/pool.h"
#include "pool_test.h"
#include "tests/repetitions.h"

namespace perdure {
namespace {

/// Processes are killed at random moments. This tests recovery and the order of system calls, not flushes: a killed
/// process loses nothing that it stored.
class CrashTest : public testing::PoolTest {
 protected:
  /// Runs `body` in a child and kills it after a random time below `microseconds`.
  template <class Body>
  void kill_while(Body&& body, unsigned microseconds) {
    const pid_t child = fork();
    if (child == 0) {
      body();
      _exit(0);
    }
    usleep(static_cast<useconds_t>(random_() % microseconds));
    kill(child, SIGKILL);
    int status = 0;
    waitpid(child, &status, 0);
    ASSERT_TRUE(WIFSIGNALED(status) || WEXITSTATUS(status) == 0) << status;
  }

  std::mt19937 random_{7};
};

TEST_F(CrashTest, CreationLeavesAPoolOrNone) {
  int whole = 0;
  for (int i = 0; i < 60; ++i) {
    kill_while([&] { Pool::open(path()); }, 500 * (i + 1));  // the later ones finish even on a slow machine
    whole += std::filesystem::exists(path()) ? 1 : 0;
    Pool::open(path()).close();
    EXPECT_FALSE(std::filesystem::exists(path().string() + ".creating"));
    std::filesystem::remove(path());
  }
  EXPECT_GT(whole, 0);
}

TEST_F(CrashTest, UnfinishedCreationIsBegunAnew) {
  testing::write_all(path().string() + ".creating", std::string(3000000, 'x'));
  Pool::open(path()).close();
  EXPECT_EQ(Pool::open(path()).report().state, OpenReport::State::clean);
  EXPECT_FALSE(std::filesystem::exists(path().string() + ".creating"));
}

TEST_F(CrashTest, OpeningClosingAndGrowingMayBeInterrupted) {
  // A chain of blocks that only grows: each links to the one before and is then made the root. Whatever happens, the
  // chain that the root leads to is whole, and as long as was announced.
  auto* const announced = static_cast<std::atomic<std::uint64_t>*>(
      mmap(nullptr, 4096, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0));
  ASSERT_NE(announced, MAP_FAILED);
  struct Link {
    Link* previous;
    std::uint64_t length;
    std::uint64_t bytes;
  };
  auto extend = [&](unsigned seed) {
    std::mt19937 random(seed);
    for (;;) {
      const Pool pool = Pool::open(path());
      alloc::Heap& heap = *alloc::current_heap();
      roots::Root& root = heap.mapping().root_table().roots[0];
      root.name[0] = 'a';
      for (int i = 0; i < 30; ++i) {
        const std::size_t bytes = 64 << (random() % 13);
        auto* const link = static_cast<Link*>(heap.allocate(bytes));
        std::memset(static_cast<void*>(link), 0x77, bytes);
        heap.deallocate(heap.allocate(64 << (random() % 13)));
        auto* const previous = static_cast<Link*>(root.object);
        *link = {previous, previous == nullptr ? 1 : previous->length + 1, bytes};
        std::atomic_ref(root.object).store(link, std::memory_order_release);
        announced->store(link->length, std::memory_order_release);
      }
    }
  };
  int clean = 0, recovered = 0;
  for (unsigned i = 0; i < repetitions(60); ++i) {
    kill_while([&] { extend(i); }, 20000);
    const Pool pool = Pool::open(path());
    (pool.report().state == OpenReport::State::clean ? clean : recovered) += 1;
    alloc::Heap& heap = *alloc::current_heap();
    const auto* link = static_cast<const Link*>(heap.mapping().root_table().roots[0].object);
    const std::uint64_t length = link == nullptr ? 0 : link->length;
    ASSERT_GE(length, announced->load());
    for (std::uint64_t left = length; left != 0; --left, link = link->previous) {
      ASSERT_TRUE(heap.is_block(link));
      ASSERT_EQ(link->length, left);
      for (std::size_t word = 3; word < link->bytes / 8; ++word)
        ASSERT_EQ(reinterpret_cast<const std::uint64_t*>(link)[word], 0x7777777777777777u);
    }
    ASSERT_EQ(link, nullptr);
  }
  EXPECT_GT(recovered, 0);
  munmap(announced, 4096);
}

TEST_F(CrashTest, ThreadsMayBeKilledWhileTheyGrow) {
  for (unsigned i = 0; i < repetitions(30); ++i) {
    kill_while(
        [&] {
          const Pool pool = Pool::open(path(), {.size_limit = 256 << 20});
          std::vector<std::thread> threads;
          for (int thread = 0; thread < 3; ++thread)
            threads.emplace_back([thread] {
              while (alloc::current_heap()->allocate(thread == 0 ? 200000 : 5000)) {
              }
            });
          for (std::thread& thread : threads) thread.join();
        },
        20000);
    const Pool pool = Pool::open(path(), {.size_limit = 256 << 20});
    // No root: everything was leaked, and everything is free again.
    void* const block = alloc::current_heap()->allocate(250 << 20);
    ASSERT_NE(block, nullptr);
    alloc::current_heap()->deallocate(block);
  }
}

}  // namespace
}  // namespace perdure
