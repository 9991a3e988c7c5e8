// What a part of a transaction has done that is undone alone: gone, wherever it was; and nothing else is.
#include "perdure/nested.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <exception>
#include <filesystem>
#include <map>
#include <memory>
#include <source_location>
#include <stdexcept>
#include <string>
#include <vector>

#include "../pool/pool_test.h"
#include "entry/allocation.h"
#include "perdure/handlers.h"
#include "perdure/pool.h"
#include "perdure/transaction.h"
#include "persist/instance.h"
#include "persist/sanitizers.h"
#include "tx/abort.h"

namespace perdure {
namespace {

struct Refused : std::exception {};

/// So many attempts are made. They are counted outside of what is rolled back.
[[perdure::pure]] void abort_until(std::atomic<int>& attempts, int last) {
  if (++attempts < last) tx::abort(tx::CommitResult::validation);
}

/// In transactions, which must not fail as the tests outside of them do.
[[perdure::pure]] void expect_equal(long found, long expected,
                                    std::source_location place = std::source_location::current()) {
  EXPECT_EQ(found, expected) << "in line " << place.line();
}

const std::string long_text = "a text that is too long to lie in the string itself";

struct Node {
  long value;
  Node* next;
};

struct Data {
  std::array<long, 8> numbers{};
  std::array<char, 5> bytes{};
  std::map<int, std::string> map;
  Node* list = nullptr;
};

long global = 0;

class NestedTest : public testing::PoolTest {
 protected:
  /// What is there in the next run of the program, where the library is durable.
  void reopen() {
    if (!instance.durable) return;
    pool_.close();
    pool_ = Pool::open(path());
    data_ = &pool_.root<Data>("data");
  }

  Pool pool_ = Pool::open(path());
  Data* data_ = &pool_.root<Data>("data");
};

/// Runs the body as a part and undoes it by an exception, in the transaction.
template <class Body>
void undone(Body&& body) {
  try {
    try_nested([&] {
      body();
      throw Refused();
    });
  } catch (const Refused&) {
  }
}

TEST_F(NestedTest, PoolMemory) {
  TM_BEGIN {
    data_->numbers[0] = 1;
    data_->numbers[1] = 1;
    data_->bytes[1] = 'a';
    undone([&] {
      data_->numbers[1] = 2;
      data_->numbers[1] += 5;
      data_->numbers[2] = 2;
      for (char& byte : data_->bytes) byte = 'b';
      expect_equal(data_->numbers[1], 7);
    });
    expect_equal(data_->numbers[1], 1);
    data_->numbers[3] = data_->numbers[2] + 3;
  } TM_END;
  reopen();
  EXPECT_EQ(data_->numbers, (std::array<long, 8>{1, 1, 0, 3}));
  EXPECT_EQ(data_->bytes, (std::array<char, 5>{0, 'a'}));
}

TEST_F(NestedTest, OtherMemory) {
  global = 0;
  const auto heap = std::make_unique<long>(0);
  long before = 0;  // of the function around the transaction
  TM_BEGIN {
    long own = 0;  // of the transaction
    global = *heap = before = own = 1;
    undone([&] {
      global = *heap = before = own = 2;
      expect_equal(global + *heap + before + own, 8);
    });
    expect_equal(own, 1);
    own += 1;
    data_->numbers[0] = own;
  } TM_END;
  EXPECT_EQ(global, 1);
  EXPECT_EQ(*heap, 1);
  EXPECT_EQ(before, 1);
  EXPECT_EQ(data_->numbers[0], 2);
}

/// What a transaction has just allocated it writes directly.
TEST_F(NestedTest, BlocksAllocatedBefore) {
  TM_BEGIN {
    auto* const node = new Node{1, nullptr};
    data_->list = node;
    node->value = 2;
    undone([&] {
      node->value = 3;
      node->next = new Node{4, nullptr};
      node->next->value = 5;
      node->next = new Node{6, node->next};
      node->next->next->value = 7;
      expect_equal(node->value + node->next->next->value, 10);
    });
    expect_equal(node->value, 2);
    expect_equal(node->next == nullptr, 1);
    node->value += 10;
    node->next = new Node{8, nullptr};
    node->value += 100;
  } TM_END;
  reopen();
  EXPECT_EQ(data_->list->value, 112);
  EXPECT_EQ(data_->list->next->value, 8);
  EXPECT_EQ(data_->list->next->next, nullptr);
}

/// So many blocks has the transaction allocated, or freed, as it would commit.
[[perdure::pure]] long count(void (*for_each)(entry::BlockFunction, void*)) {
  long blocks = 0;
  for_each([](void*, std::size_t, void* counter) { ++*static_cast<long*>(counter); }, &blocks);
  return blocks;
}
[[perdure::pure]] long allocated() { return count(entry::for_each_allocated); }
[[perdure::pure]] long freed() { return count(entry::for_each_freed); }

TEST_F(NestedTest, BlocksOfUndonePartsAreFreed) {
  for (int round = 0; round < 1000; ++round) {
    TM_BEGIN {
      undone([&] {
        for (int i = 0; i < 10; ++i) data_->list = new Node{i, data_->list};
        delete data_->list;
        undone([&] { data_->list = reinterpret_cast<Node*>(new std::array<char, 10000>); });
      });
      expect_equal(data_->list == nullptr, 1);
      expect_equal(allocated(), 11);
      expect_equal(freed(), 11);
    } TM_END;
  }
  if (instance.durable) EXPECT_LT(std::filesystem::file_size(path()), 5U << 20);  // all of them would not fit
}

TEST_F(NestedTest, FreesOfUndonePartsAreNot) {
  TM_BEGIN { data_->list = new Node{5, nullptr}; } TM_END;
  TM_BEGIN {
    undone([&] {
      delete data_->list;
      data_->list = nullptr;
    });
  } TM_END;
  for (int i = 0; i < 100; ++i) {
    TM_BEGIN { data_->list->next = new Node{i, data_->list->next}; } TM_END;
  }
  EXPECT_EQ(data_->list->value, 5);
}

TEST_F(NestedTest, Containers) {
  TM_BEGIN {
    for (int i = 0; i < 50; ++i) data_->map[i] = long_text + std::to_string(i);
    undone([&] {
      for (int i = 0; i < 100; ++i) data_->map[i] += "!";
      for (int i = 0; i < 100; i += 3) data_->map.erase(i);
    });
    for (int i = 50; i < 60; ++i) data_->map[i] = long_text + std::to_string(i);
  } TM_END;
  reopen();
  ASSERT_EQ(data_->map.size(), 60U);
  for (int i = 0; i < 60; ++i) EXPECT_EQ(data_->map[i], long_text + std::to_string(i));
}

/// An inner part that stays is undone with the one around it.
TEST_F(NestedTest, Depth) {
  std::array<long, 3> locals{};
  TM_BEGIN {
    undone([&] {
      long own = 1;
      data_->numbers[0] = locals[0] = 1;
      try_nested([&] {
        data_->numbers[0] = locals[0] = own = 2;
        data_->numbers[1] = locals[1] = 2;
        undone([&] {
          data_->numbers[0] = locals[0] = own = 3;
          data_->numbers[2] = locals[2] = 3;
        });
        expect_equal(own + data_->numbers[0], 4);
        expect_equal(data_->numbers[2] + locals[2], 0);
        data_->numbers[3] = data_->numbers[1] + own;
      });
      expect_equal(data_->numbers[3], 4);
      expect_equal(own, 2);
    });
    for (const long number : data_->numbers) expect_equal(number, 0);
    for (const long local : locals) expect_equal(local, 0);
    try_nested([&] {
      data_->numbers[4] = 1;
      try_nested([&] { data_->numbers[4] += 1; });
      undone([&] { data_->numbers[4] = 9; });
    });
  } TM_END;
  reopen();
  EXPECT_EQ(data_->numbers, (std::array<long, 8>{0, 0, 0, 0, 2}));
}

TEST_F(NestedTest, ExceptionsGoOnInTheTransaction) {
  EXPECT_THROW(
      {
        TM_BEGIN {
          try {
            try_nested([&] {
              data_->numbers[0] = 1;
              throw std::runtime_error("refused");
            });
          } catch (const std::runtime_error& error) {
            if (error.what()[0] == 'r') data_->numbers[1] = 1;
          }
          expect_equal(data_->numbers[0], 0);
          expect_equal(data_->numbers[1], 1);
          try_nested([&] { throw Refused(); });
        } TM_END;
      },
      Refused);
  EXPECT_EQ(data_->numbers[1], 0);
}

TEST_F(NestedTest, ValuesAreReturned) {
  long result = 0;
  TM_BEGIN { result = try_nested([&] { return data_->numbers[0] = 5; }); } TM_END;
  EXPECT_EQ(result, 5);
  EXPECT_EQ(try_nested([&] { return ++data_->numbers[0]; }), 6);  // a transaction of its own
  EXPECT_THROW(try_nested([&] {
                 data_->numbers[0] = 0;
                 throw Refused();
               }),
               Refused);
  EXPECT_EQ(data_->numbers[0], 6);
}

TEST_F(NestedTest, HandlersOfUndonePartsAreForgotten) {
  static int calls;
  calls = 0;
  TM_BEGIN {
    on_commit([] { calls += 1; });
    undone([&] {
      on_commit([] { calls += 10; });
      on_abort([] { calls += 100; });
    });
    on_commit([] { calls += 1000; });
  } TM_END;
  EXPECT_EQ(calls, 1001);
}

/// What owns memory of the transaction.
struct Explained {
  std::string text;
  std::array<char, 480> rest;
};

#ifndef PERDURE_THREAD_SANITIZER  // where plain destructors cannot free memory of pools (entry/operators.cc)

/// The leak checker sees what is left behind; freed is only what the roll-back has not freed.
TEST_F(NestedTest, ConflictsWhileExceptionsAreHandled) {
  std::atomic<int> attempts{0};
  TM_BEGIN {
    try {
      throw Explained{long_text, {}};
    } catch (const Explained& explained) {
      try {
        throw std::runtime_error(long_text);
      } catch (const std::exception&) {
        data_->map[0] = explained.text;
        abort_until(attempts, 4);
      }
    }
  } TM_END;
  EXPECT_EQ(attempts, 4);
  EXPECT_EQ(data_->map[0], long_text);
  EXPECT_EQ(std::current_exception(), nullptr);
}

#endif

std::vector<std::unique_ptr<char[]>> others;

/// The C library gives out again what an exception has left, in which `address` lies. Null: it does not, at once.
[[perdure::pure]] char* allocate_again(const char* address) {
  constexpr std::size_t head_bytes = 128;  // of the C++ runtime, before the object
  for (int i = 0; i < 64; ++i) {
    char* const block = others.emplace_back(new char[head_bytes + sizeof(Explained)]{}).get();
    if (block <= address && address < block + sizeof(Explained)) return block;
  }
  return nullptr;
}

/// The memory of an exception that was handled may become anybody's, and is then rolled back like the rest.
TEST_F(NestedTest, MemoryOfHandledExceptionsIsPrivateNoMore) {
  bool is_reused = true;
  try {
    TM_BEGIN {
      char* gone = nullptr;
      try {
        throw Explained{};
      } catch (Explained& explained) {
        gone = &explained.rest[10];
      }
      if (allocate_again(gone) == nullptr) throw Refused();
      *gone = 1;
      throw std::runtime_error(long_text);
    } TM_END;
  } catch (const Refused&) {
    is_reused = false;
  } catch (const std::runtime_error&) {
  }
  if (is_reused) EXPECT_EQ(std::count(others.back().get(), others.back().get() + sizeof(Explained), '\1'), 0);
#if !defined(PERDURE_ADDRESS_SANITIZER) && !defined(PERDURE_THREAD_SANITIZER)  // which keep what was freed
  EXPECT_TRUE(is_reused);
#endif
  others.clear();
}

/// A conflict in a part has the whole transaction run again.
TEST_F(NestedTest, ConflictsInParts) {
  std::atomic<int> attempts{0};
  long local = 0;
  TM_BEGIN {
    data_->numbers[0] += 1;
    try_nested([&] {
      data_->numbers[0] += 1;
      local += 1;
      try_nested([&] {
        data_->numbers[0] += 1;
        abort_until(attempts, 4);
      });
    });
    undone([&] { data_->numbers[0] = 9; });
    data_->map[1] = long_text;
  } TM_END;
  EXPECT_EQ(attempts, 4);
  EXPECT_EQ(data_->numbers[0], 3);
  EXPECT_EQ(local, 1);
  TM_BEGIN { data_->list = new Node{1, nullptr}; } TM_END;
  EXPECT_EQ(data_->list->value, 1);
}

TEST_F(NestedTest, InSerialTransactions) {
  TM_SERIAL {
    long own = 1;
    data_->numbers[0] = 1;
    undone([&] {
      own = 2;
      data_->numbers[0] = 2;
      data_->map[1] = long_text;
    });
    expect_equal(own, 1);
    expect_equal(data_->numbers[0], 1);
    expect_equal(static_cast<long>(data_->map.size()), 0);
  }
  TM_END;
  TM_BEGIN {
    undone([&] {
      data_->numbers[0] = 3;
      become_serial();
      data_->numbers[0] = 4;
      data_->numbers[1] = 4;
    });
    data_->numbers[2] = data_->numbers[0] + data_->numbers[1];
  } TM_END;
  reopen();
  EXPECT_EQ(data_->numbers, (std::array<long, 8>{1, 0, 1}));
}

// -- alternatives

TEST_F(NestedTest, TheFirstThatDoesNotRetryCounts) {
  for (long i = 0; i < 3; ++i) {
    long local = 0;
    const auto attempt = [&](long number) {
      data_->numbers[0] = local = number;
      data_->map[static_cast<int>(number)] = long_text;
      if (number < i) TM_RETRY;
      data_->numbers[1 + number] += 1;
    };
    TM_BEGIN { attempt(0); } TM_OR_ELSE { attempt(1); } TM_OR_ELSE { attempt(2); } TM_END;
    EXPECT_EQ(local, i);
    EXPECT_EQ(data_->numbers[0], i);
    EXPECT_EQ(data_->map.size(), static_cast<std::size_t>(i + 1));
  }
  EXPECT_EQ(data_->numbers, (std::array<long, 8>{2, 1, 1, 1}));
}

TEST_F(NestedTest, AlternativesNestAndReturnValues) {
  const auto result = execute([&]() -> long {
    data_->numbers[0] += 1;
    data_->numbers[1] = execute(
        [&]() -> long {
          data_->numbers[0] += 10;
          return execute(
              [&]() -> long {
                data_->numbers[0] += 100;
                TM_RETRY;
              },
              [&]() -> long {
                data_->numbers[0] += 1000;
                TM_RETRY;  // both: so the outer one does
              });
        },
        [&]() -> long { return data_->numbers[0] += 10000; });
    return data_->numbers[1];
  });
  EXPECT_EQ(result, 10001);
  EXPECT_EQ(data_->numbers[0], 10001);
}

TEST_F(NestedTest, RetryWhileAnExceptionIsHandled) {
  const int before = std::uncaught_exceptions();
  for (int i = 0; i < 3; ++i) {
    TM_BEGIN {
          try {
            data_->numbers[0] = 5;
            throw std::runtime_error(long_text);
          } catch (const std::exception&) {
            TM_RETRY;
          }
        } TM_OR_ELSE { data_->numbers[1] += 1; } TM_END;
    EXPECT_EQ(std::current_exception(), nullptr);
  }
  EXPECT_EQ(std::uncaught_exceptions(), before);
  EXPECT_EQ(data_->numbers[0], 0);
  EXPECT_EQ(data_->numbers[1], 3);
}

TEST_F(NestedTest, ExceptionsOfAlternatives) {
  long local = 0;
  TM_BEGIN {
    data_->numbers[0] = 1;
    try {
      execute(
          [&] {
            data_->numbers[0] = local = 2;
            throw Refused();
          },
          [&] { local = 3; });
    } catch (const Refused&) {
      data_->numbers[1] = data_->numbers[0];
    }
  } TM_END;
  EXPECT_EQ(local, 0);
  EXPECT_EQ(data_->numbers[1], 1);
}

TEST_F(NestedTest, PartsRetryInAlternatives) {
  TM_BEGIN {
        data_->numbers[0] = 1;
        try_nested([&] {
          data_->numbers[1] = 1;
          try_nested([&] { TM_RETRY; });
        });
      } TM_OR_ELSE { data_->numbers[2] = data_->numbers[0] + data_->numbers[1] + 1; } TM_END;
  EXPECT_EQ(data_->numbers, (std::array<long, 8>{0, 0, 1}));
}

}  // namespace
}  // namespace perdure
