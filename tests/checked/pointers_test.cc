// Pointers to volatile memory that a transaction leaves in a pool.
#include <cstring>
#include <memory>
#include <stdexcept>

#include "checked_test.h"
#include "perdure/c.h"

namespace perdure::testing {
namespace {

constexpr const char* what = "perdure: a pool holds a pointer to volatile memory";

struct Shape {
  virtual ~Shape() = default;
  virtual long area() const { return side * side; }
  long side = 0;
};

char buffer[16];
const char constant[] = "a constant";

void nothing() {}

int store_in_c(void* bank) {
  static_cast<Bank*>(bank)->name = buffer;  // InATransactionInC
  return 0;
}

int store_and_fail(void* bank) {
  static_cast<Bank*>(bank)->name = buffer;
  return 1;
}

TEST_F(CheckedTest, ToTheHeap) {
  expect_report(
      [](Pool&, Bank& bank) {
        const char* const text = strdup("text");
        TM_BEGIN { bank.name = text; } TM_END;  // ToTheHeap
      },
      "ToTheHeap", {what, "the heap", "in the root 'bank' of type 'perdure::testing::Bank'", path().string()});
}

TEST_F(CheckedTest, InANewBlock) {
  expect_report(
      [](Pool&, Bank& bank) {
        const char* const text = strdup("text");
        TM_BEGIN {
          Node* const node = new Node;
          node->text = text;  // InANewBlock
          node->next = bank.first;
          bank.first = node;
        } TM_END;
      },
      "InANewBlock", {what, "the heap", "in a block of 32 bytes"});
}

TEST_F(CheckedTest, ToTheStack) {
  expect_report(
      [](Pool&, Bank& bank) {
        Node local;
        TM_BEGIN { bank.first = &local; } TM_END;  // ToTheStack
      },
      "ToTheStack", {what, "in the stack of this thread"});
}

TEST_F(CheckedTest, ToAVariable) {
  expect_report(
      [](Pool&, Bank& bank) {
        TM_BEGIN { bank.name = buffer; } TM_END;  // ToAVariable
      },
      "ToAVariable", {what, "(perdure::testing::(anonymous namespace)::buffer)"});
}

/// They become code addresses of the pool.
TEST_F(CheckedTest, ToCode) {
  int status = 0;
  const std::string said = run(
      [](Pool&, Bank& bank) {
        TM_BEGIN {
          bank.function = nothing;
          bank.first = reinterpret_cast<Node*>(new Shape);
        } TM_END;
      },
      status);
  EXPECT_EQ(status, 0);
  EXPECT_EQ(said, "");
}

/// Constants and string literals, too; and they are read there.
TEST_F(CheckedTest, ToConstants) {
  int status = 0;
  const std::string said = run(
      [](Pool&, Bank& bank) {
        TM_BEGIN {
          bank.name = "a literal";
          bank.inner.text = constant;
        } TM_END;
        std::size_t in_transaction = 0;
        TM_BEGIN { in_transaction = std::strlen(bank.name) + std::strlen(bank.inner.text); } TM_END;
        std::size_t letters = 0;
        for (const char* letter = bank.name; *letter != '\0'; ++letter) ++letters;
        if (in_transaction != 9 + 10 || letters != 9) std::abort();
      },
      status);
  EXPECT_EQ(status, 0);
  EXPECT_EQ(said, "");
}

TEST_F(CheckedTest, InAStructThatIsCopied) {
  expect_report(
      [](Pool&, Bank& bank) {
        Node local;
        local.text = buffer;
        TM_BEGIN { bank.inner = local; } TM_END;  // InAStructThatIsCopied
      },
      "InAStructThatIsCopied", {what, "buffer"});
}

TEST_F(CheckedTest, InContainers) {
  const auto expect_what = [&](auto&& body) {
    int status = 0;
    const std::string said = run(body, status);
    EXPECT_TRUE(WIFSIGNALED(status) && said.starts_with(what)) << said;
  };
  expect_what([](Pool&, Bank& bank) {
    TM_BEGIN {
      for (int i = 0; i < 10; ++i) bank.names[i] = i == 5 ? buffer : nullptr;
    } TM_END;
  });
  expect_what([](Pool&, Bank& bank) { TM_BEGIN { bank.texts.push_back(buffer); } TM_END; });
  expect_what([](Pool&, Bank& bank) { TM_BEGIN { bank.texts = {buffer, buffer}; } TM_END; });
}

TEST_F(CheckedTest, OutsideOfTransactions) {
  expect_report(
      [](Pool&, Bank& bank) {
        bank.name = buffer;  // OutsideOfTransactions
      },
      "OutsideOfTransactions", {what, "buffer"});
}

TEST_F(CheckedTest, InATransactionInC) {
  expect_report([](Pool&, Bank& bank) { perdure_transaction(store_in_c, &bank); }, "InATransactionInC", {what});
}

TEST_F(CheckedTest, WhatIsReplacedOrRolledBackDoesNoHarm) {
  expect_nothing([](Pool&, Bank& bank) {
    TM_BEGIN {
      bank.name = buffer;
      bank.first = new Node{nullptr, buffer, 0};
      store_unchecked(bank.name, nullptr);
      delete bank.first;
      bank.first = nullptr;
    } TM_END;
    try {
      TM_BEGIN {
        bank.name = buffer;
        throw 1;
      } TM_END;
    } catch (int) {
    }
    perdure_transaction(store_and_fail, &bank);
    TM_BEGIN { bank.first = new Node; } TM_END;
  });
}

/// Their nodes lie in the pool, and lead to heads that do not.
TEST_F(CheckedTest, ContainersOfTheProgramDoNoHarm) {
  expect_nothing([](Pool&, Bank& bank) {
    TM_BEGIN {
      for (int i = 0; i < 100; ++i) {
        bank.balances[i] = i;
        bank.numbers.push_back(i);
      }
    } TM_END;
    std::map<int, long> balances = TM_BEGIN { return bank.balances; } TM_END;
    std::list<int> numbers;
    auto on_heap = std::make_unique<std::map<int, long>>();
    TM_BEGIN {
      const std::map<int, long> temporary(bank.balances);
      numbers = bank.numbers;
      *on_heap = temporary;
    } TM_END;
    TM_BEGIN {
      bank.balances.erase(3);
      bank.numbers.reverse();
      bank.numbers.splice(bank.numbers.begin(), numbers);
      bank.balances = *on_heap;
    } TM_END;
    balances.erase(4);
  });
}

TEST_F(CheckedTest, MarksAreNoPointers) {
  expect_nothing([](Pool&, Bank& bank) {
    TM_BEGIN {
      bank.name = reinterpret_cast<const char*>(-1);
      bank.first = reinterpret_cast<Node*>(1);
    } TM_END;
  });
}

/// Both pools are open: allowed, but said.
TEST_F(CheckedTest, IntoAnotherPool) {
  int status = 0;
  const std::string said = run(
      [&](Pool&, Bank& bank) {
        Pool other = Pool::open(in_directory("other"));
        Bank& there = other.root<Bank>("bank");
        TM_BEGIN { bank.first = &there.inner; } TM_END;  // IntoAnotherPool
      },
      status);
  EXPECT_EQ(status, 0);
  EXPECT_TRUE(said.starts_with("perdure: warning: a pool holds a pointer into another pool")) << said;
  EXPECT_NE(said.find(place_of("IntoAnotherPool")), said.npos) << said;
  EXPECT_NE(said.find(in_directory("other").string()), said.npos) << said;
}

TEST_F(CheckedTest, IntoAPoolThatIsClosed) {
  expect_report(
      [&](Pool&, Bank& bank) {
        Pool other = Pool::open(in_directory("other"));
        Node* const there = &other.root<Bank>("bank").inner;
        other.close();
        TM_BEGIN { bank.first = there; } TM_END;  // IntoAPoolThatIsClosed
      },
      "IntoAPoolThatIsClosed",
      {"a pool holds a pointer to memory of no open pool", in_directory("other").string(), "which is closed"});
}

/// Run by the test below, in a process with another environment.
TEST_F(CheckedTest, DISABLED_MakesMistakes) {
  Pool pool = Pool::open(path());
  Bank& bank = pool.root<Bank>("bank");
  for (int i = 0; i < 3; ++i) TM_BEGIN { bank.name = buffer; } TM_END;
  TM_BEGIN { bank.first = new Node; } TM_END;
  Node* const node = bank.first;
  TM_BEGIN { delete node; } TM_END;
  TM_BEGIN { delete bank.first; } TM_END;
}

TEST_F(CheckedTest, GoesOnWhenAskedTo) {
  const auto said_file = in_directory("said");
  const int status = in_child([&] {
    dup2(open(said_file.c_str(), O_CREAT | O_TRUNC | O_WRONLY, 0600), STDERR_FILENO);
    setenv("PERDURE_CHECKED", "report", 1);
    execl("/proc/self/exe", "checked_test", "--gtest_filter=CheckedTest.DISABLED_MakesMistakes",
          "--gtest_also_run_disabled_tests", nullptr);
  });
  EXPECT_EQ(status, 0);
  const std::string said = read_all(said_file);
  EXPECT_TRUE(said.starts_with(what)) << said;
  EXPECT_EQ(said.find(what, 1), said.npos) << "said twice: " << said;
  EXPECT_NE(said.find("a block is freed twice"), said.npos) << said;
}

}  // namespace
}  // namespace perdure::testing
