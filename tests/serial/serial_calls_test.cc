// Compiled with -fplugin-arg-perdure-serial-calls: a call of code that the plugin has not seen makes the transaction
// serial, and only then.
#include <gtest/gtest.h>

#include <cstdint>
#include <stdexcept>

#include "perdure/perdure.h"
#include "perdure/statistics.h"
#include "tests/isolation/in_parallel.h"
#include "tests/serial/unseen.h"
#include "tests/tx/by_hand.h"

namespace perdure {
namespace {

struct Count {
  long value = 0;
};

void add(Count& count, bool prints) {
  ++count.value;
  if (prints) unseen::print("value ", count.value);
}

class SerialCalls : public by_hand::PoolTest {
 protected:
  SerialCalls() : count_(pool().root<Count>("count")) { unseen::printed.clear(); }

  Count& count_;
};

TEST_F(SerialCalls, MakeATransactionSerialWhereItComesToThem) {
  const std::uint64_t before = statistics().serial_transactions;
  TM_BEGIN { add(count_, false); } TM_END;
  EXPECT_EQ(statistics().serial_transactions, before);
  TM_BEGIN { add(count_, true); } TM_END;
  EXPECT_EQ(statistics().serial_transactions, before + 1);
  EXPECT_EQ(unseen::printed, "value 2;");
}

TEST_F(SerialCalls, AreRolledBackByExceptions) {
  const auto fail = [&] {
    TM_BEGIN {
      add(count_, true);
      throw std::runtime_error("rolled back");
    } TM_END;
  };
  EXPECT_THROW(fail(), std::runtime_error);
  EXPECT_EQ(count_.value, 0);
  EXPECT_EQ(unseen::printed, "value 1;");
}

TEST_F(SerialCalls, AreIsolated) {
  constexpr int threads = 3;
  constexpr int rounds = 200;
  constexpr int every = 20;  // prints
  in_parallel(threads, [&](unsigned) {
    for (int i = 0; i < rounds; ++i) {
      TM_BEGIN { add(count_, i % every == 0); }
      TM_END;
    }
  });
  EXPECT_EQ(count_.value, threads * rounds);
}

}  // namespace
}  // namespace perdure
