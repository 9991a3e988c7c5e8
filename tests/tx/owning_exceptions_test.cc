// Exceptions that leave a transaction, or a part of it, and own memory that was allocated there.
#include <gtest/gtest.h>

#include <array>
#include <exception>
#include <map>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <vector>

#include "../pool/pool_test.h"
#include "alloc/heap.h"
#include "perdure/nested.h"
#include "perdure/pool.h"
#include "perdure/transaction.h"
#include "persist/instance.h"
#include "pool/exception_memory.h"
#include "recover/replay.h"
#include "sched/sole_thread.h"

namespace perdure {
namespace {

const std::string long_text = "a text that is too long to lie in the string itself";

struct Refused : std::exception {
  explicit Refused(std::string reason) : reason(std::move(reason)) {}
  const char* what() const noexcept override { return reason.c_str(); }

  std::string reason;
};

/// Blocks lead to blocks, and more were allocated behind them.
struct Report : std::runtime_error {
  Report(const std::string& text, int lines) : std::runtime_error(text), shared(std::make_shared<std::string>(text)) {
    for (int i = 0; i < lines; ++i) details.push_back(text + std::to_string(i));
    numbers[lines] = {1, 2, 3};
  }
  bool holds(const std::string& text, int lines) const {
    bool result = what() == text && *shared == text && details.size() == static_cast<std::size_t>(lines) &&
                  numbers.at(lines) == std::array<int, 3>{1, 2, 3};
    for (int i = 0; i < lines; ++i) result = result && details[static_cast<std::size_t>(i)] == text + std::to_string(i);
    return result;
  }

  std::shared_ptr<std::string> shared;
  std::vector<std::string> details;
  std::map<int, std::array<int, 3>> numbers;
};

struct Root {
  long changes = 0;
  std::string* text = nullptr;
  std::shared_ptr<long> shared;
};

/// Its end changes what transactions share.
struct Counted {
  explicit Counted(Root& root) : root(&root), shared(root.shared) {}
  Counted(const Counted&) = default;
  Counted& operator=(const Counted&) = delete;
  ~Counted() { ++root->changes; }

  Root* root;
  std::shared_ptr<long> shared;
};

class OwningExceptions : public testing::PoolTest {
 protected:
  void open() {
    pool_.emplace(Pool::open(path(), {.accept_volatile = true}));
    root_ = &pool_->root<Root>("root");
  }
  OwningExceptions() { open(); }

  /// `change(root)` throws in a transaction, in which something else is changed and allocated, too.
  template <class Change>
  void transact(Change change) {
    TM_BEGIN {
      ++root_->changes;
      root_->text = new std::string(long_text);
      change(*root_);
    } TM_END;
  }
  void expect_that_nothing_has_changed() {
    EXPECT_EQ(root_->changes, 0);
    EXPECT_EQ(root_->text, nullptr);
  }

  std::optional<Pool> pool_;
  Root* root_ = nullptr;
};

TEST_F(OwningExceptions, ArriveWithTheirStrings) {
  for (int i = 0; i < 3; ++i) {
    try {
      transact([&](Root& root) { throw Refused(*root.text + std::to_string(i)); });
      FAIL();
    } catch (const Refused& refused) {
      EXPECT_EQ(refused.what(), long_text + std::to_string(i));
      expect_that_nothing_has_changed();
    }
  }
  EXPECT_EQ(pool::exception_memory::count, 0U);
}

TEST_F(OwningExceptions, ArriveWithAllThatTheyLeadTo) {
  try {
    transact([](Root&) { throw Report(long_text, 20); });
    FAIL();
  } catch (const Report& report) {
    EXPECT_TRUE(report.holds(long_text, 20));
    // What is allocated now is other memory.
    transact([](Root& root) {
      delete root.text;
      root.text = nullptr;
      --root.changes;
    });
    EXPECT_TRUE(report.holds(long_text, 20));
  }
  expect_that_nothing_has_changed();
  EXPECT_EQ(pool::exception_memory::count, 0U);
}

/// Who is alone gets it at once, while a record may still be replayed that writes to it; no later one does.
TEST_F(OwningExceptions, InABlockThatHasJustBeenFreed) {
  for (int i = 0; i < 1000 && sched::sole_thread.claim() == sched::SoleThread::nobody; ++i) {
    transact([](Root& root) { root.changes = 0; });
    TM_BEGIN {
      delete root_->text;
      root_->text = nullptr;
    } TM_END;
  }
  transact([](Root&) {});
  TM_BEGIN { root_->text->front() = 'A'; } TM_END;
  TM_BEGIN {
    delete root_->text;
    root_->text = nullptr;
  } TM_END;
  try {
    TM_BEGIN { throw Refused(long_text); } TM_END;
    FAIL();
  } catch (const Refused& refused) {
    recover::replay_logs(*alloc::current_heap());
    EXPECT_EQ(refused.what(), long_text);
  }
}

TEST_F(OwningExceptions, MadeLongBeforeTheyAreThrown) {
  try {
    transact([](Root& root) {
      Report report(*root.text, 3);
      report.details.emplace_back("more, which is moved to make room for it");
      throw report;
    });
    FAIL();
  } catch (const Report& report) {
    EXPECT_EQ(report.details.size(), 4U);
    EXPECT_EQ(report.details[2], long_text + "2");
  }
  expect_that_nothing_has_changed();
}

TEST_F(OwningExceptions, ChangedOnTheirWay) {
  try {
    transact([](Root&) {
      try {
        throw Refused(long_text);
      } catch (Refused& refused) {
        refused.reason += ", and where: " + refused.reason;
        throw;
      }
    });
    FAIL();
  } catch (const Refused& refused) {
    EXPECT_EQ(refused.what(), long_text + ", and where: " + long_text);
  }
}

TEST_F(OwningExceptions, InsideOfOthers) {
  try {
    transact([](Root&) {
      try {
        throw Refused(long_text);
      } catch (...) {
        std::throw_with_nested(Report(long_text, 2));
      }
    });
    FAIL();
  } catch (const Report& report) {
    EXPECT_TRUE(report.holds(long_text, 2));
    try {
      std::rethrow_if_nested(report);
      FAIL();
    } catch (const Refused& refused) {
      EXPECT_EQ(refused.what(), long_text);
    }
  }
}

TEST_F(OwningExceptions, MovedToAnotherOwner) {
  std::string kept;
  try {
    transact([](Root&) { throw Refused(long_text); });
  } catch (Refused& refused) {
    kept = std::move(refused.reason);
  }
  EXPECT_EQ(kept, long_text);
}

TEST_F(OwningExceptions, OutliveThePool) {
  try {
    const Pool pool = std::move(*pool_);
    transact([](Root&) { throw Report(long_text, 200); });
    FAIL();
  } catch (const Report& report) {
    EXPECT_TRUE(report.holds(long_text, 200));
  }
  EXPECT_EQ(pool::exception_memory::count, 0U);
  open();
  expect_that_nothing_has_changed();
}

TEST_F(OwningExceptions, AreGoneFromThePoolWhenItIsClosed) {
  std::exception_ptr kept;
  const void* block = nullptr;
  try {
    transact([](Root&) { throw Report(long_text, 20); });
  } catch (const Report& report) {
    block = report.details.data();
    kept = std::current_exception();
  }
  EXPECT_TRUE(alloc::heap_of(root_)->is_block(block));
  pool_.reset();
  try {
    std::rethrow_exception(kept);
  } catch (const Report& report) {
    EXPECT_TRUE(report.holds(long_text, 20));
  }
  open();
  if (!instance.durable) return;  // a pool of its own, anywhere: the exception still has what it owns
  // The pool in its place: the exception has lost what it owned, and must not be looked at.
  EXPECT_EQ(pool::exception_memory::count, 0U);
  static const auto* const never_ended = new std::exception_ptr(std::move(kept));
  EXPECT_NE(never_ended, nullptr);
  EXPECT_FALSE(alloc::heap_of(root_)->is_block(block));
}

TEST_F(OwningExceptions, FromAPartThatIsUndone) {
  TM_BEGIN {
    root_->changes = 10;
    bool arrived = false;
    try {
      try_nested([&] {
        ++root_->changes;
        root_->text = new std::string(long_text);
        throw Report(*root_->text, 5);
      });
    } catch (const Report& report) {
      arrived = report.holds(long_text, 5);
    }
    if (!arrived || root_->changes != 10 || root_->text != nullptr) root_->changes = -1;
  } TM_END;
  EXPECT_EQ(root_->changes, 10);
  EXPECT_EQ(root_->text, nullptr);
}

TEST_F(OwningExceptions, FromAPartAndThenFromTheWhole) {
  try {
    TM_BEGIN {
      root_->changes = 10;
      try_nested([&] {
        ++root_->changes;
        throw Report(long_text, 5);
      });
    } TM_END;
    FAIL();
  } catch (const Report& report) {
    EXPECT_TRUE(report.holds(long_text, 5));
  }
  expect_that_nothing_has_changed();
}

/// What the end of an exception does is part of the transaction in which it ends.
class EndsOfExceptions : public OwningExceptions {
 protected:
  EndsOfExceptions() {
    TM_BEGIN { root_->shared = std::make_shared<long>(42); } TM_END;
  }

  static void throw_and_catch(Root& root) {
    try {
      throw Counted(root);
    } catch (const Counted& counted) {
      if (counted.shared.use_count() != 2 || root.changes % 2 != 0) root.changes = -100;
    }
    ++root.changes;
  }
};

TEST_F(EndsOfExceptions, AreCommitted) {
  for (int i = 1; i <= 3; ++i) {
    TM_BEGIN { throw_and_catch(*root_); } TM_END;
    EXPECT_EQ(root_->changes, 2 * i);
    EXPECT_EQ(root_->shared.use_count(), 1);
    EXPECT_EQ(*root_->shared, 42);
  }
}

TEST_F(EndsOfExceptions, AreUndone) {
  try {
    TM_BEGIN {
      throw_and_catch(*root_);
      throw Refused(long_text);
    } TM_END;
    FAIL();
  } catch (const Refused&) {
  }
  EXPECT_EQ(root_->changes, 0);
  EXPECT_EQ(root_->shared.use_count(), 1);
  EXPECT_EQ(*root_->shared, 42);
}

TEST_F(EndsOfExceptions, OutsideOfTransactionsArePlain) {
  try {
    TM_BEGIN {
      root_->shared.reset();
      throw Counted(*root_);
    } TM_END;
    FAIL();
  } catch (const Counted&) {
    EXPECT_EQ(root_->changes, 0);
  }
  EXPECT_EQ(root_->changes, 1);
  EXPECT_EQ(root_->shared.use_count(), 1);
}

TEST_F(EndsOfExceptions, OfALaterTransaction) {
  std::exception_ptr kept;
  TM_BEGIN {
    try {
      throw Counted(*root_);
    } catch (const Counted&) {
      kept = std::current_exception();
    }
  } TM_END;
  EXPECT_EQ(root_->changes, 0);
  EXPECT_EQ(root_->shared.use_count(), 2);
  TM_BEGIN { kept = nullptr; } TM_END;
  EXPECT_EQ(root_->changes, 1);
  EXPECT_EQ(root_->shared.use_count(), 1);
}

TEST_F(OwningExceptions, FromTheHeapWhereNoPoolIsOpen) {
  pool_.reset();
  long changes = 0;
  try {
    TM_BEGIN {
      ++changes;
      throw Report(long_text, 5);
    } TM_END;
    FAIL();
  } catch (const Report& report) {
    EXPECT_TRUE(report.holds(long_text, 5));
  }
  EXPECT_EQ(changes, 0);
}

}  // namespace
}  // namespace perdure
