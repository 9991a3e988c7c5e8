// A thread that is alone leaves out what isolates it, until another one comes (libs/sched/sole_thread.h).
#include "sole_thread.h"

#include <unistd.h>

#include <array>
#include <atomic>
#include <chrono>
#include <random>
#include <thread>
#include <vector>

#include "perdure/waiting.h"
#include "persist/sanitizers.h"
#include "sched/waiters.h"
#include "tests/pool/pool_test.h"
#include "tx/part_results.h"

namespace perdure {
namespace {

using namespace by_hand;

class SoleThread : public SoleThreadTest {
 protected:
  /// Starts `work` in another thread in the middle of a transaction of this one, which is alone, and gives it time.
  /// \returns whether it was still at work when the transaction ended.
  template <class Work>
  bool is_kept_out(Work&& work) {
    std::atomic<bool> is_done{false};
    bool is_kept_out = false;
    std::thread other;
    transact([&] {
      write(shared_[1], 1);
      other = std::thread([&] {
        work();
        is_done = true;
      });
      std::this_thread::sleep_for(std::chrono::milliseconds(50));
      is_kept_out = !is_done;
      write(shared_[2], 1);
    });
    other.join();
    return is_kept_out;
  }
};

// -- to and from it ---------------------------------------------------------------------------------------------------

TEST_F(SoleThread, FindsOutThatItIsAlone) {
  reset_statistics();
  become_sole();
  for (int i = 0; i < 100; ++i) transact([&] { write(shared_[0], read(shared_[0]) + 1); });
  if (statistics().commits != 0) {
    EXPECT_EQ(statistics().solitudes, 1U);
  }
}

TEST_F(SoleThread, OthersEndItAndItComesBack) {
  reset_statistics();
  become_sole();
  in_another_thread([&] { transact([&] { write(shared_[1], read(shared_[0])); }); });
  EXPECT_FALSE(is_claimed());
  EXPECT_EQ(shared_[1], shared_[0]);
  transact([&] { write(shared_[2], read(shared_[1])); });
  EXPECT_EQ(shared_[2], shared_[1]);
  become_sole();
  if (statistics().commits != 0) {
    EXPECT_EQ(statistics().solitudes, 2U);
  }
}

TEST_F(SoleThread, WhoComesNeedNotWaitForTheTransactionThatRuns) {
  become_sole();
  int attempts = 0;
  transact([&] {
    const std::uint64_t before = read(shared_[3]);
    if (++attempts == 1) is_joined_by([&] { transact([&] { write(shared_[3], 7); }); });
    EXPECT_EQ(read(shared_[3]), before);
  });
  other_ends();
  // That its claim went, `is_joined_by` has seen. It may have become the sole one again while the other was held up.
  EXPECT_GE(attempts, 2) << "nothing vouches for what it has read";
}

TEST_F(SoleThread, DoesNotCommitWhatIsOutOfDate) {
  become_sole();
  int attempts = 0;
  transact([&] {
    const std::uint64_t before = read(shared_[3]);
    if (++attempts == 1) is_joined_by([&] { transact([&] { write(shared_[3], read(shared_[3]) + 7); }); });
    write(shared_[3], before + 1);
  });
  other_ends();
  EXPECT_GE(attempts, 2);
  EXPECT_EQ(shared_[3], 8U);
}

TEST_F(SoleThread, ReadsNoMixtureOfRanges) {
  become_sole();
  std::array<std::uint64_t, 4> copy{};
  int attempts = 0;
  transact([&] {
    const std::uint64_t before = read(shared_[4]);
    if (++attempts == 1)
      is_joined_by([&] {
        transact([&] {
          for (int i = 4; i < 8; ++i) write(shared_[i], 7);
        });
      });
    perdure_read_bytes(copy.data(), shared_ + 4, sizeof copy);
    EXPECT_EQ(copy[3], before);
  });
  other_ends();
  EXPECT_GE(attempts, 2);
}

TEST_F(SoleThread, ReadsNoMixtureOfOtherMemory) {
  become_sole();
  static std::array<std::uint64_t, 2> outside;
  int attempts = 0;
  transact([&] {
    const std::uint64_t before = read(outside[0]);
    if (++attempts == 1)
      is_joined_by([&] {
        transact([&] {
          for (std::uint64_t& word : outside) write(word, 7);
        });
      });
    EXPECT_EQ(read(outside[1]), before);
  });
  other_ends();
  EXPECT_GE(attempts, 2);
}

TEST_F(SoleThread, DoesNotBecomeSerialWithWhatIsOutOfDate) {
  become_sole();
  int attempts = 0;
  transact([&] {
    const std::uint64_t before = read(shared_[3]);
    if (++attempts == 1) is_joined_by([&] { transact([&] { write(shared_[3], read(shared_[3]) + 7); }); });
    perdure_become_serial();
    EXPECT_EQ(read(shared_[3]), before);
    write(shared_[3], before + 1);
  });
  other_ends();
  EXPECT_GE(attempts, 2);
  EXPECT_EQ(shared_[3], 8U);
}

TEST_F(SoleThread, ASerialTransactionWaitsForIt) {
  become_sole();
  EXPECT_TRUE(is_kept_out([&] { transact_serially([&] { write(shared_[1], read(shared_[2]) + 1); }); }));
  EXPECT_EQ(shared_[1], 2U);
}

TEST_F(SoleThread, BecomesSerial) {
  become_sole();
  const std::uint64_t before = shared_[0];
  transact([&] {
    write(shared_[0], before + 1);
    perdure_become_serial();
    EXPECT_EQ(shared_[0], before + 1) << "what it has written is in place";
    write(shared_[1], read(shared_[0]));
  });
  EXPECT_EQ(shared_[1], before + 1);
  in_another_thread([&] { transact([&] { write(shared_[2], read(shared_[1])); }); });
  EXPECT_EQ(shared_[2], before + 1);
}

TEST_F(SoleThread, AThreadThatEndsIsAloneNoMore) {
  in_another_thread([&] { become_sole(); });
  EXPECT_FALSE(is_claimed());
}

TEST_F(SoleThread, WithOthersAtWorkNobodyIs) {
  std::atomic<bool> runs{false}, is_over{false};
  std::thread other([&] {
    transact([&] {
      runs = true;
      while (!is_over) std::this_thread::yield();
    });
  });
  while (!runs) std::this_thread::yield();
  for (int i = 0; i < 100; ++i) transact([&] { read(shared_[0]); });  // which waits for nobody, in any mode
  EXPECT_FALSE(is_claimed());
  is_over = true;
  other.join();
}

// -- what a transaction does meanwhile --------------------------------------------------------------------------------

TEST_F(SoleThread, ReadsWhatItHasWritten) {
  become_sole();
  std::uint64_t outside = 1;
  transact([&] {
    EXPECT_EQ(read(shared_[3]), 0U);
    perdure_write_u8(reinterpret_cast<std::uint8_t*>(shared_ + 3) + 1, 7);
    EXPECT_EQ(read(shared_[3]), 0x700U);
    write(shared_[4], 5);
    std::array<std::uint64_t, 4> copy{};
    perdure_read_bytes(copy.data(), shared_ + 2, sizeof copy);
    EXPECT_EQ(copy, (std::array<std::uint64_t, 4>{0, 0x700, 5, 0}));
    write(outside, read(outside) + 1);
    auto* const block = allocate_words(8);
    perdure_memcpy(block, shared_ + 2, sizeof copy);
    EXPECT_EQ(read(block[1]), 0x700U);
    write(shared_[5], read(block[2]) + read(outside));
  });
  EXPECT_EQ(shared_[3], 0x700U);
  EXPECT_EQ(shared_[5], 7U);
  EXPECT_EQ(outside, 2U);
}

TEST_F(SoleThread, AbortsAsAWhole) {
  become_sole();
  int attempts = 0;
  transact([&] {
    write(shared_[3], read(shared_[3]) + 1);
    if (++attempts < 3) force_abort();
  });
  EXPECT_EQ(shared_[3], 1U);
  EXPECT_THROW(transact([&] {
                 write(shared_[3], 9);
                 throw 1;
               }),
               int);
  EXPECT_EQ(shared_[3], 1U);
}

TEST_F(SoleThread, UndoesAPart) {
  become_sole();
  transact([&] {
    write(shared_[3], 1);
    const auto part = [](void* closure) {
      auto* const words = static_cast<std::uint64_t*>(closure);
      write(words[3], read(words[3]) + read(words[4]) + 1);
      write(words[4], 1);
      return 7;
    };
    EXPECT_EQ(perdure_nested(part, shared_), 7);
    EXPECT_EQ(read(shared_[3]), 1U);
    EXPECT_EQ(read(shared_[4]), 0U);
  });
  EXPECT_EQ(shared_[3], 1U);
  EXPECT_EQ(shared_[4], 0U);
}

TEST_F(SoleThread, IsWokenByWhoeverWritesWhatItHasRead) {
  become_sole();
  std::thread other;
  int attempts = 0;
  const auto begin = std::chrono::steady_clock::now();
  transact([&] {
    if (read(shared_[3]) != 0) return;
    if (attempts++ == 0)
      other = std::thread([&] {
        while (!sched::waiters.are_there()) std::this_thread::yield();
        transact([&] { write(shared_[3], 1); });
      });
    perdure_retry_unless(nullptr, 20'000'000'000);
  });
  other.join();
  EXPECT_LT(std::chrono::steady_clock::now() - begin, std::chrono::seconds(10)) << "nobody woke it";
}

TEST_F(SoleThread, WakesOthers) {
  std::atomic<bool> is_woken{false};
  std::thread other([&] {
    transact([&] {
      if (read(shared_[3]) == 0 && perdure_retry_unless(nullptr, 20'000'000'000) == tx::timed_out) return;
      is_woken = read(shared_[3]) != 0;
    });
  });
  while (!sched::waiters.are_there()) std::this_thread::yield();
  become_sole();
  transact([&] { write(shared_[3], 1); });
  other.join();
  EXPECT_TRUE(is_woken);
}

TEST_F(SoleThread, CommitsToSeveralPools) {
  const TemporaryPool another;
  const PoolScope scope(another.pool());
  std::uint64_t& there = *words(1);
  become_sole();
  for (int i = 0; i < 3; ++i)
    transact([&] {
      write(there, read(there) + 1);
      write(shared_[3], read(there));
    });
  EXPECT_EQ(there, 3U);
  EXPECT_EQ(shared_[3], 3U);
  in_another_thread([&] { transact([&] { write(there, read(there) + read(shared_[3])); }); });
  EXPECT_EQ(there, 6U);
}

TEST_F(SoleThread, HasTheSameFences) {
  const auto fences_of_some = [&] {
    const auto before = statistics().fences;
    for (int i = 0; i < 3; ++i) transact([&] { write(shared_[8 * i], read(shared_[8 * i]) + 1); });
    return statistics().fences - before;
  };
  in_another_thread([&] {
    transact([&] { write(shared_[0], 1); });  // the log has a segment
    const std::uint64_t beside_others = fences_of_some();
    EXPECT_FALSE(is_claimed()) << "too soon";
    become_sole();
    const std::uint64_t alone = fences_of_some();
    EXPECT_TRUE(is_claimed());
    EXPECT_EQ(alone, beside_others);
  });
}

TEST_F(SoleThread, AChildHasNoClaimOfItsParent) {
#ifdef PERDURE_THREAD_SANITIZER
  GTEST_SKIP() << "it supports no threads in the child of a process that has several";
#endif
  static std::uint64_t outside;  // a child has no pools
  std::atomic<bool> runs{false}, is_over{false};
  std::thread other([&] {
    become_sole();
    transact([&] {
      write(shared_[1], 1);
      runs = true;
      while (!is_over) std::this_thread::yield();
    });
  });
  while (!runs) std::this_thread::yield();
  const int status = testing::in_child([&] {
    alarm(20);
    for (int i = 0; i < 10; ++i) transact([&] { write(outside, read(outside) + 1); });
    _exit(outside == 10 ? 0 : 1);
  });
  EXPECT_EQ(status, 0);
  is_over = true;
  other.join();
}

// -- threads that come and go -----------------------------------------------------------------------------------------

/// Pairs of equal words, whose sum is always the same. Each thread works for a while and rests for a while, so that now
/// one is alone, and now they meet.
class Company : public SoleThread {
 protected:
  static constexpr std::size_t pairs = 8;

  void begin() {
    sched::patience = {.first = 1, .most = 2};
    constexpr std::chrono::microseconds a_moment(50);
    sched::alternation_limits = {
        .worth_it = 0, .window = a_moment, .shortest_turn = a_moment, .first_series = a_moment};
    transact([&] {
      for (std::size_t i = 0; i < 2 * pairs; ++i) write(shared_[4 * i], 1000);
    });
  }

  std::uint64_t& half(std::size_t pair, std::size_t which) { return shared_[4 * (pair + which * pairs)]; }

  void move(std::minstd_rand& random) {
    const std::size_t from = random() % pairs;
    const std::size_t to = (from + 1 + random() % (pairs - 1)) % pairs;
    transact([&] {
      const std::uint64_t left = checked(from) - 1;
      const std::uint64_t arrived = checked(to) + 1;
      for (std::size_t which = 0; which < 2; ++which) write(half(from, which), left);
      if (left % 16 == 0) std::this_thread::yield();
      for (std::size_t which = 0; which < 2; ++which) write(half(to, which), arrived);
    });
  }

  void look() {
    transact([&] {
      std::uint64_t sum = 0;
      for (std::size_t pair = 0; pair < pairs; ++pair) sum += checked(pair);
      if (sum != pairs * 1000) ++mixtures_;
    });
  }

  std::uint64_t checked(std::size_t pair) {
    const std::uint64_t first = read(half(pair, 0));
    if (read(half(pair, 1)) != first) ++mixtures_;
    return first;
  }

  void work(unsigned seed, int bursts) {
    std::minstd_rand random(seed + 1);
    for (int burst = 0; burst < bursts; ++burst) {
      const std::size_t transactions = 1 + random() % 40;
      for (std::size_t i = 0; i < transactions; ++i) i % 3 == 0 ? look() : move(random);
      std::this_thread::sleep_for(std::chrono::microseconds(random() % 200));
    }
  }

  std::atomic<std::uint64_t> mixtures_{0};
};

TEST_F(Company, SeesOneState) {
  begin();
  reset_statistics();
  std::vector<std::thread> threads;
  for (unsigned number = 0; number < 3; ++number) threads.emplace_back([this, number] { work(number, 400); });
  for (std::thread& thread : threads) thread.join();
  look();
  EXPECT_EQ(mixtures_, 0U);
  if (statistics().commits != 0) {
    EXPECT_GT(statistics().solitudes, 20U) << "they hardly ever were alone";
  }
}

TEST_F(Company, OfThreadsThatEnd) {
  begin();
  std::vector<std::thread> lines;
  for (unsigned line = 0; line < 2; ++line)
    lines.emplace_back([this, line] {
      for (unsigned i = 0; i < 60; ++i) in_another_thread([&] { work(2 * i + line, 2); });
    });
  for (std::thread& line : lines) line.join();
  look();
  EXPECT_EQ(mixtures_, 0U);
}

}  // namespace
}  // namespace perdure
