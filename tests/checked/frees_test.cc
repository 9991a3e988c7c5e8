// Blocks of pools that are freed twice, and what is freed and is no block.
#include <cstdlib>
#include <thread>

#include "alloc/heap.h"
#include "checked_test.h"

namespace perdure::testing {
namespace {

constexpr const char* twice = "perdure: a block is freed twice";
constexpr const char* no_block = "perdure: something is freed that is no block of the pool";

Node* make(Bank& bank) {
  return TM_BEGIN { return bank.first = new Node; } TM_END;
}

void remove(Node* node) {
  TM_BEGIN { delete node; } TM_END;
}

std::string before(unsigned line) { return "checked/frees_test.cc:" + std::to_string(line) + ":"; }

TEST_F(CheckedTest, TwiceInATransaction) {
  const unsigned line = here() + 6;
  expect_report(
      [](Pool&, Bank& bank) {
        Node* const node = make(bank);
        TM_BEGIN {
          delete node;
          delete bank.first;
        } TM_END;
      },
      line + 1, {twice, "it was freed before at ", before(line)});
}

TEST_F(CheckedTest, TwiceInTwoTransactions) {
  const unsigned line = here() + 5;
  expect_report(
      [](Pool&, Bank& bank) {
        Node* const node = make(bank);
        TM_BEGIN { delete node; } TM_END;
        TM_BEGIN { delete node; } TM_END;
      },
      line, {twice, before(line - 1)});
}

TEST_F(CheckedTest, TwiceInTwoThreads) {
  const unsigned line = here() + 5;
  expect_report(
      [](Pool&, Bank& bank) {
        Node* const node = make(bank);
        std::thread([&] { TM_BEGIN { delete node; } TM_END; }).join();
        TM_BEGIN { delete node; } TM_END;
      },
      line, {twice, before(line - 1)});
}

TEST_F(CheckedTest, TwiceInsideAndOutside) {
  const unsigned line = here() + 5;
  expect_report(
      [](Pool&, Bank& bank) {
        Node* const node = make(bank);
        delete node;
        remove(node);
      },
      line - 25 - 12 - 6, {twice});
}

TEST_F(CheckedTest, TwiceOutside) {
  const unsigned line = here() + 5;
  expect_report(
      [](Pool&, Bank& bank) {
        Node* const node = make(bank);
        delete node;
        delete node;
      },
      line, {twice, before(line - 1)});
}

/// The allocator has it back.
TEST_F(CheckedTest, TwiceLongAfter) {
  const unsigned line = here() + 6;
  expect_report(
      [](Pool&, Bank& bank) {
        Node* const node = make(bank);
        for (int i = 0; i < 1000; ++i) remove(make(bank));
        remove(node);
        for (int i = 0; i < 3; ++i) TM_BEGIN { free(new char[1000]); } TM_END;
        TM_BEGIN { delete node; } TM_END;
      },
      line + 1, {twice});
}

TEST_F(CheckedTest, InsideABlock) {
  const unsigned line = here() + 3;
  expect_report([](Pool&, Bank& bank) { TM_BEGIN { delete &bank.inner; } TM_END; }, line,
                {no_block, "inside a block", "bytes behind its beginning"});
}

TEST_F(CheckedTest, ALog) {
  void* log = nullptr;
  const unsigned line = here() + 6;
  expect_report(
      [&](Pool&, Bank& bank) {
        make(bank);
        alloc::heap_of(&bank)->for_each_log_segment([&](void* segment) { log = segment; });
        TM_BEGIN { free(log); } TM_END;
      },
      line, {no_block, "a log of the pool"});
}

TEST_F(CheckedTest, TheTables) {
  const unsigned line = here() + 4;
  expect_report(
      [](Pool&, Bank& bank) {
        std::byte* const base = alloc::heap_of(&bank)->mapping().base();
        TM_BEGIN { free(base); } TM_END;
      },
      line, {no_block, "the pool's own tables"});
}

TEST_F(CheckedTest, WhatWasNeverAllocated) {
  const unsigned line = here() + 4;
  expect_report(
      [](Pool&, Bank& bank) {
        Node* const node = make(bank) - 7 * 32;
        TM_BEGIN { delete node; } TM_END;
      },
      line, {no_block});
}

TEST_F(CheckedTest, ByFreeOutsideOfTransactions) {
  const unsigned line = here() + 4;
  expect_report(
      [](Pool&, Bank& bank) {
        Node* const node = make(bank);
        free(node);
      },
      line, {"given to free() or realloc() outside of transactions"});
}

TEST_F(CheckedTest, InAPoolThatIsClosed) {
  const unsigned line = here() + 5;
  expect_report(
      [](Pool& pool, Bank& bank) {
        Node* const node = make(bank);
        pool.close();
        delete node;
      },
      line, {"memory of a pool that is not open", "which is closed"});
}

TEST_F(CheckedTest, FreesThatAreRolledBackDoNotCount) {
  expect_nothing([](Pool&, Bank& bank) {
    Node* const node = make(bank);
    try {
      TM_BEGIN {
        delete node;
        throw 1;
      } TM_END;
    } catch (int) {
    }
    remove(node);
  });
}

/// Blocks come and go between threads, of checked code and of code that is not.
TEST_F(CheckedTest, BlocksThatAreReusedAreNotFreedTwice) {
  expect_nothing([](Pool&, Bank& bank) {
    std::vector<std::thread> threads;
    for (int number = 0; number < 4; ++number)
      threads.emplace_back([&bank] {
        for (int i = 0; i < 3000; ++i) {
          TM_BEGIN {
            if (bank.first != nullptr) delete bank.first;
            bank.first = new Node;
            delete new Node;
          } TM_END;
        }
      });
    for (std::thread& thread : threads) thread.join();
    for (int i = 0; i < 300; ++i) delete allocate_unchecked(bank);
    TM_BEGIN { bank.first = nullptr; } TM_END;
  });
}

}  // namespace
}  // namespace perdure::testing
