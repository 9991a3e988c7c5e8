// Uses of a pool that is closed, and of what is beyond a pool's end.
#include <cstring>

#include "checked_test.h"

namespace perdure::testing {
namespace {

constexpr const char* what = "perdure: memory of a pool that is not open is used";

TEST_F(CheckedTest, ReadAfterClose) {
  expect_report(
      [](Pool& pool, Bank& bank) {
        pool.close();
        if (bank.inner.number != 0) std::abort();  // ReadAfterClose
      },
      "ReadAfterClose", {what, path().string(), "which is closed"});
}

TEST_F(CheckedTest, WriteAfterClose) {
  expect_report(
      [](Pool& pool, Bank& bank) {
        pool.close();
        bank.inner.number = 1;  // WriteAfterClose
      },
      "WriteAfterClose", {what, path().string(), "which is closed"});
}

TEST_F(CheckedTest, TransactionAfterClose) {
  expect_report(
      [](Pool& pool, Bank& bank) {
        pool.close();
        TM_BEGIN { ++bank.inner.number; } TM_END;  // TransactionAfterClose
      },
      "TransactionAfterClose", {what, path().string(), "which is closed"});
}

TEST_F(CheckedTest, CopyAfterClose) {
  expect_report(
      [](Pool& pool, Bank& bank) {
        pool.close();
        Node copy;
        std::memcpy(&copy, &bank.inner, sizeof copy);  // CopyAfterClose
        if (copy.number != 0) std::abort();
      },
      "CopyAfterClose", {what});
}

TEST_F(CheckedTest, BeyondTheEnd) {
  expect_report(
      [](Pool&, Bank& bank) {
        TM_BEGIN { (&bank.inner)[1 << 24].number = 1; } TM_END;  // BeyondTheEnd
      },
      "BeyondTheEnd", {"memory beyond the end of a pool is used", "beyond its end"});
}

TEST_F(CheckedTest, AnotherPoolMayBeOpenedInItsPlace) {
  expect_nothing([&](Pool& pool, Bank&) {
    pool.close();
    Pool again = Pool::open(path());
    Bank& bank = again.root<Bank>("bank");
    TM_BEGIN { ++bank.inner.number; } TM_END;
  });
}

}  // namespace
}  // namespace perdure::testing
