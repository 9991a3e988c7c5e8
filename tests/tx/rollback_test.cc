// What an abort and an exception undo: everything the body changed, wherever it lives.
#include <malloc.h>

#include <array>
#include <memory>
#include <stdexcept>
#include <thread>

#include "by_hand.h"

extern "C" void* perdure_tm___cxa_allocate_exception(std::size_t bytes) noexcept;

namespace perdure {
namespace {

using namespace by_hand;

class Rollback : public PoolTest {};

/// Runs `body(attempt)` so that the first attempts abort after having run.
template <class Body>
void transact_with_aborts(int aborts, Body&& body) {
  int attempt = 0;
  transact([&] {
    body();
    if (attempt++ < aborts) force_abort();
  });
}

TEST_F(Rollback, PoolMemory) {
  auto* const shared = words(16);
  transact_with_aborts(3, [&] {
    for (int i = 0; i < 16; ++i) write(shared[i], read(shared[i]) + 1);
  });
  for (int i = 0; i < 16; ++i) EXPECT_EQ(shared[i], 1U);
}

TEST_F(Rollback, HeapMemory) {
  const auto value = std::make_unique<std::uint64_t>(5);
  transact_with_aborts(3, [&] { write(*value, read(*value) + 1); });
  EXPECT_EQ(*value, 6U);
}

TEST_F(Rollback, GlobalsAndThreadLocals) {
  static std::uint64_t global = 1;
  static thread_local std::uint64_t local_to_thread = 1;
  global = local_to_thread = 1;
  transact_with_aborts(3, [&] {
    write(global, read(global) + 1);
    write(local_to_thread, read(local_to_thread) + 1);
  });
  EXPECT_EQ(global, 2U);
  EXPECT_EQ(local_to_thread, 2U);
}

TEST_F(Rollback, LocalsOfTheEnclosingFunction) {
  std::uint64_t local = 10;
  transact_with_aborts(3, [&] { write(local, read(local) + 1); });
  EXPECT_EQ(local, 11U);
}

/// As the plugin does with those that it finds to be private.
TEST_F(Rollback, LocalsThatAreWrittenDirectly) {
  struct Local {
    std::uint32_t number = 10;
    std::array<std::uint8_t, 9> bytes{};
    bool operator==(const Local&) const = default;
  } local, other;
  transact_with_aborts(3, [&] {
    perdure_save_local(&local, sizeof local);
    local.number += 1;
    perdure_save_local(&other.bytes[8], 1);
    for (std::uint8_t& byte : local.bytes) byte += 3;
    other.bytes[8] += 2;
  });
  EXPECT_EQ(local, (Local{11, {3, 3, 3, 3, 3, 3, 3, 3, 3}}));
  EXPECT_EQ(other, (Local{10, {0, 0, 0, 0, 0, 0, 0, 0, 2}}));
  EXPECT_THROW(transact([&] {
                 perdure_save_local(&local, sizeof local);
                 local = {};
                 throw std::runtime_error("no");
               }),
               std::runtime_error);
  EXPECT_EQ(local.number, 11U);
}

/// The body of an outer transaction runs an inner one: its frame is not there any more when the outer one has aborted.
TEST_F(Rollback, LocalsOfTheTransactionAreNotRestored) {
  std::uint64_t attempts = 0;
  transact([&] {
    std::uint64_t mine = 1;
    transact([&] {
      perdure_save_local(&mine, sizeof mine);
      mine = 2;
    });
    EXPECT_EQ(mine, 2U);
    if (attempts++ < 2) force_abort();
  });
  EXPECT_EQ(attempts, 3U);
}

TEST_F(Rollback, OwnFramesAreNotRestoredInto) {
  auto* const shared = words(1);
  transact_with_aborts(2, [&] {
    std::uint64_t mine = 7;
    write(mine, read(mine) + 1);
    EXPECT_EQ(mine, 8U);  // directly, not buffered
    write(shared[0], mine);
  });
  EXPECT_EQ(shared[0], 8U);
}

TEST_F(Rollback, CalleeSavedRegistersSurvive) {
  // Enough live values around the transaction that some are in callee-saved registers.
  std::uint64_t a = 1, b = 2, c = 3, d = 4, e = 5, f = 6;
  auto* const shared = words(1);
  asm volatile("" : "+r"(a), "+r"(b), "+r"(c), "+r"(d), "+r"(e), "+r"(f));
  transact_with_aborts(2, [&, p = shared] { write(*p, read(*p) + 1); });
  asm volatile("" : "+r"(a), "+r"(b), "+r"(c), "+r"(d), "+r"(e), "+r"(f));
  EXPECT_EQ(a + b * 10 + c * 100 + d * 1000 + e * 10000 + f * 100000, 654321U);
}

TEST_F(Rollback, AllocationsAreReturned) {
  transact([&] { entry::transactional_free(allocate_words(8)); });
  void* first = nullptr;
  int attempt = 0;
  transact([&] {
    void* const block = allocate_words(8);
    if (attempt++ == 0) {
      first = block;
      force_abort();
    }
    EXPECT_EQ(block, first) << "the block of the aborted attempt is free again";
  });
}

TEST_F(Rollback, FreesTakeEffectOnlyAtCommit) {
  std::uint64_t* block = nullptr;
  transact([&] { block = allocate_words(8); });
  int attempt = 0;
  transact([&] {
    entry::transactional_free(block);
    if (attempt++ == 0) force_abort();
  });
  EXPECT_EQ(attempt, 2);  // a double free would have stopped the program
}

TEST_F(Rollback, ExceptionRollsBackAndGoesOn) {
  auto* const shared = words(2);
  std::uint64_t local = 0;
  const Statistics before = statistics();
  EXPECT_THROW(transact([&] {
                 write(shared[0], 1);
                 write(shared[1], 1);
                 write(local, 1);
                 throw std::runtime_error("no");
               }),
               std::runtime_error);
  EXPECT_EQ(shared[0], 0U);
  EXPECT_EQ(shared[1], 0U);
  EXPECT_EQ(local, 0U);
  EXPECT_EQ(statistics().aborts_exception, before.aborts_exception + 1);
  // Nothing is left locked: another thread can write the same.
  std::thread([&] { transact([&] { write(shared[0], 2); }); }).join();
  EXPECT_EQ(shared[0], 2U);
}

TEST_F(Rollback, ExceptionCaughtInsideIsPartOfTheTransaction) {
  auto* const shared = words(1);
  transact([&] {
    try {
      write(shared[0], 1);
      throw 1;
    } catch (int value) {
      write(shared[0], read(shared[0]) + static_cast<std::uint64_t>(value));
    }
  });
  EXPECT_EQ(shared[0], 2U);
}

TEST_F(Rollback, AbortWhileHandlingAnException) {
  auto* const shared = words(1);
  int attempt = 0;
  transact([&] {
    try {
      throw 1;
    } catch (int) {
      if (attempt++ < 2) force_abort();
      write(shared[0], 1);
    }
  });
  EXPECT_EQ(shared[0], 1U);
  EXPECT_EQ(std::uncaught_exceptions(), 0);
  EXPECT_EQ(std::current_exception(), nullptr);
}

TEST_F(Rollback, NestedTransactionIsPartOfTheOutermost) {
  auto* const shared = words(1);
  int attempt = 0;
  transact([&] {
    write(shared[0], read(shared[0]) + 1);
    transact([&] { write(shared[0], read(shared[0]) + 1); });
    if (attempt++ == 0) force_abort();
  });
  EXPECT_EQ(shared[0], 2U);
}

/// What an exception is to hold is computed when there is memory for it already.
TEST_F(Rollback, ExceptionThatIsBeingMadeIsFreed) {
  const auto abort_once = [] {
    int attempts = 0;
    transact([&] {
      if (attempts++ > 0) return;
      perdure_tm___cxa_allocate_exception(1'000);
      force_abort();
    });
  };
  abort_once();
  const std::size_t before = mallinfo2().uordblks;
  for (int i = 0; i < 100; ++i) abort_once();
  EXPECT_LT(mallinfo2().uordblks, before + 10'000);
}

}  // namespace
}  // namespace perdure
