// Blocks of all kinds of captures, run by another thread on copies: the results are those of the caller's own run.
#include <gtest/gtest.h>
#include <perdure/perdure.h>

#include <array>
#include <cstdint>
#include <stdexcept>
#include <string>

#include "operation_double.h"

namespace perdure::tests {
namespace {

struct Node {
  long key;
  Node* next;
};

struct Numbers {
  std::array<long, 16> values;
  Node* head;
  long sum;
};

struct Range {
  long first;
  long last;
  char name[8];
};

class Portable : public testing::Test {
 protected:
  Portable()
      : path_(testing::TempDir() + "portable_" + testing::UnitTest::GetInstance()->current_test_info()->name()),
        pool_(Pool::open(path_)),
        numbers_(pool_.root<Numbers>("numbers")) {
    TM_BEGIN { numbers_.sum = 100; } TM_END;
    before_ = runs_elsewhere();
  }
  ~Portable() override {
    pool_.close();
    std::remove(path_.c_str());
  }

  /// Since the test began.
  int runs() const { return runs_elsewhere() - before_; }

  std::string path_;
  Pool pool_;
  Numbers& numbers_;
  int before_ = 0;
};

TEST_F(Portable, IntegersGoInAndOut) {
  Numbers& numbers = numbers_;
  const long added = 7;
  long before = 0;
  bool was_seen = false;
  TM_BEGIN {
    before = numbers.sum;
    numbers.sum += added;
    was_seen = true;
  } TM_END;
  EXPECT_EQ(before, 100);
  EXPECT_EQ(numbers.sum, 107);
  EXPECT_TRUE(was_seen);
  EXPECT_EQ(runs(), 1);
}

TEST_F(Portable, ValuesThatTheBlockReturns) {
  Numbers& numbers = numbers_;
  const long factor = 3;
  const long product = TM_BEGIN { return numbers.sum * factor; } TM_END;
  EXPECT_EQ(product, 300);
  const Range range = TM_BEGIN { return Range{numbers.sum, numbers.sum + factor, "range"}; } TM_END;
  EXPECT_EQ(range.first, 100);
  EXPECT_EQ(range.last, 103);
  EXPECT_STREQ(range.name, "range");
  EXPECT_EQ(runs(), 2);
}

TEST_F(Portable, BlocksThatReturnFromTheMiddle) {
  Numbers& numbers = numbers_;
  for (const long wanted : {100L, 5L}) {
    const bool found = TM_BEGIN {
      if (numbers.sum == wanted) return true;
      numbers.sum = wanted;
      return false;
    } TM_END;
    EXPECT_EQ(found, wanted == 100);
  }
  EXPECT_EQ(numbers.sum, 5);
  EXPECT_EQ(runs(), 2);
}

TEST_F(Portable, StructuresAndArrays) {
  Numbers& numbers = numbers_;
  Range range{1, 2, "before"};
  std::array<long, 16> values{};
  for (std::size_t i = 0; i < values.size(); ++i) values[i] = static_cast<long>(i * i);
  TM_BEGIN {
    for (std::size_t i = 0; i < values.size(); ++i) {
      numbers.values[i] = values[i];
      values[i] = -values[i];
    }
    range.last = numbers.sum;
    range.name[0] = 'B';
  } TM_END;
  EXPECT_EQ(numbers.values[15], 225);
  const long last = values[15];
  EXPECT_EQ(last, -225);
  const Range result = range;  // what is compared gives its address away
  EXPECT_EQ(result.first, 1);
  EXPECT_EQ(result.last, 100);
  EXPECT_EQ(std::string(result.name), "Before");
  EXPECT_EQ(runs(), 1);
}

TEST_F(Portable, InnerClosures) {
  Numbers& numbers = numbers_;
  long links = 0;
  const auto link = [&](long key) {
    numbers.head = new Node{key, numbers.head};
    ++links;
  };
  TM_BEGIN {
    for (long key = 0; key < 3; ++key) link(key);
  } TM_END;
  EXPECT_EQ(links, 3);
  EXPECT_EQ(numbers.head->key, 2);
  EXPECT_EQ(numbers.head->next->next->key, 0);
  EXPECT_EQ(runs(), 1);
}

TEST_F(Portable, ClosuresOfValues) {
  Numbers* const numbers = &numbers_;
  long count = 2;
  execute([=]() mutable {
    count *= 2;
    numbers->sum += count;
  });
  EXPECT_EQ(count, 2);
  EXPECT_EQ(numbers->sum, 104);
  EXPECT_EQ(runs(), 1);
}

TEST_F(Portable, PointersToPoolsGoInAndOut) {
  Numbers& numbers = numbers_;
  Node* node = nullptr;
  TM_BEGIN {
    numbers.head = new Node{1, nullptr};
    node = numbers.head;
  } TM_END;
  const bool is_head = node == numbers.head;
  ASSERT_TRUE(is_head);
  TM_BEGIN { node->key = 5; } TM_END;
  EXPECT_EQ(numbers.head->key, 5);
  EXPECT_EQ(runs(), 2);
}

TEST_F(Portable, InALoopEachRunHasItsOwnValues) {
  Numbers& numbers = numbers_;
  for (long i = 0; i < 20; ++i) {
    long seen = 0;
    TM_BEGIN {
      seen = numbers.sum;
      numbers.sum += i;
    } TM_END;
    EXPECT_EQ(seen, 100 + i * (i - 1) / 2);
  }
  EXPECT_EQ(runs(), 20);
}

long add_twice(Numbers& numbers, long amount) {
  long sum = 0;
  TM_BEGIN {
    numbers.sum += amount;
    TM_BEGIN {
      numbers.sum += amount;
      sum = numbers.sum;
    } TM_END;
  } TM_END;
  return sum;
}

TEST_F(Portable, NestedBlocksArePartOfTheOuterOne) {
  EXPECT_EQ(add_twice(numbers_, 4), 108);
  EXPECT_EQ(runs(), 1);
}

TEST_F(Portable, AnExceptionIsTheOwners) {
  Numbers& numbers = numbers_;
  long attempts = 0;
  EXPECT_THROW(
      {
        TM_BEGIN {
          ++attempts;
          numbers.sum = 0;
          if (numbers.sum == 0) throw std::runtime_error("rolled back");
        } TM_END;
      },
      std::runtime_error);
  EXPECT_EQ(attempts, 0);
  EXPECT_EQ(numbers.sum, 100);
  EXPECT_EQ(runs(), 0);
  EXPECT_GE(runs_given_back(), 1);
}

TEST_F(Portable, WhatIsNotPortableRunsAsEver) {
  static long counter = 0;
  TM_BEGIN { ++counter; } TM_END;
  EXPECT_EQ(counter, 1);
  EXPECT_EQ(runs(), 0);
}

}  // namespace
}  // namespace perdure::tests
