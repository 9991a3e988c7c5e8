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
  TM_BEGIN { delete node; } TM_END;  // TwiceInsideAndOutside
}

TEST_F(CheckedTest, TwiceInATransaction) {
  expect_report(
      [](Pool&, Bank& bank) {
        Node* const node = make(bank);
        TM_BEGIN {
          delete node;        // first of TwiceInATransaction
          delete bank.first;  // TwiceInATransaction
        } TM_END;
      },
      "TwiceInATransaction", {twice, "it was freed before at ", place_of("first of TwiceInATransaction")});
}

TEST_F(CheckedTest, TwiceInTwoTransactions) {
  expect_report(
      [](Pool&, Bank& bank) {
        Node* const node = make(bank);
        TM_BEGIN { delete node; } TM_END;  // first of TwiceInTwoTransactions
        TM_BEGIN { delete node; } TM_END;  // TwiceInTwoTransactions
      },
      "TwiceInTwoTransactions", {twice, place_of("first of TwiceInTwoTransactions")});
}

TEST_F(CheckedTest, TwiceInTwoThreads) {
  expect_report(
      [](Pool&, Bank& bank) {
        Node* const node = make(bank);
        std::thread([&] { TM_BEGIN { delete node; } TM_END; }).join();  // first of TwiceInTwoThreads
        TM_BEGIN { delete node; } TM_END;  // TwiceInTwoThreads
      },
      "TwiceInTwoThreads", {twice, place_of("first of TwiceInTwoThreads")});
}

TEST_F(CheckedTest, TwiceInsideAndOutside) {
  expect_report(
      [](Pool&, Bank& bank) {
        Node* const node = make(bank);
        delete node;
        remove(node);
      },
      "TwiceInsideAndOutside", {twice});
}

TEST_F(CheckedTest, TwiceOutside) {
  expect_report(
      [](Pool&, Bank& bank) {
        Node* const node = make(bank);
        delete node;  // first of TwiceOutside
        delete node;  // TwiceOutside
      },
      "TwiceOutside", {twice, place_of("first of TwiceOutside")});
}

/// The allocator has it back.
TEST_F(CheckedTest, TwiceLongAfter) {
  expect_report(
      [](Pool&, Bank& bank) {
        Node* const node = make(bank);
        for (int i = 0; i < 1000; ++i) remove(make(bank));
        remove(node);
        for (int i = 0; i < 3; ++i) TM_BEGIN { free(new char[1000]); } TM_END;
        TM_BEGIN { delete node; } TM_END;  // TwiceLongAfter
      },
      "TwiceLongAfter", {twice});
}

TEST_F(CheckedTest, InsideABlock) {
  expect_report(
      [](Pool&, Bank& bank) {
        TM_BEGIN { delete &bank.inner; } TM_END;  // InsideABlock
      },
      "InsideABlock", {no_block, "inside a block", "bytes behind its beginning"});
}

TEST_F(CheckedTest, ALog) {
  void* log = nullptr;
  expect_report(
      [&](Pool&, Bank& bank) {
        make(bank);
        alloc::heap_of(&bank)->for_each_log_segment([&](void* segment) { log = segment; });
        TM_BEGIN { free(log); } TM_END;  // ALog
      },
      "ALog", {no_block, "a log of the pool"});
}

TEST_F(CheckedTest, TheTables) {
  expect_report(
      [](Pool&, Bank& bank) {
        std::byte* const base = alloc::heap_of(&bank)->mapping().base();
        TM_BEGIN { free(base); } TM_END;  // TheTables
      },
      "TheTables", {no_block, "the pool's own tables"});
}

TEST_F(CheckedTest, WhatWasNeverAllocated) {
  expect_report(
      [](Pool&, Bank& bank) {
        Node* const node = make(bank) - 7 * 32;
        TM_BEGIN { delete node; } TM_END;  // WhatWasNeverAllocated
      },
      "WhatWasNeverAllocated", {no_block});
}

TEST_F(CheckedTest, ByFreeOutsideOfTransactions) {
  expect_report(
      [](Pool&, Bank& bank) {
        Node* const node = make(bank);
        free(node);
        free(node);  // ByFreeOutsideOfTransactions
      },
      "ByFreeOutsideOfTransactions", {twice});
}

TEST_F(CheckedTest, InAPoolThatIsClosed) {
  expect_report(
      [](Pool& pool, Bank& bank) {
        Node* const node = make(bank);
        pool.close();
        delete node;  // InAPoolThatIsClosed
      },
      "InAPoolThatIsClosed", {"memory of a pool that is not open", "which is closed"});
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

/// Blocks come and go between threads, in transactions and outside.
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
    for (int i = 0; i < 300; ++i) delete make(bank);
    TM_BEGIN { bank.first = nullptr; } TM_END;
  });
}

}  // namespace
}  // namespace perdure::testing
