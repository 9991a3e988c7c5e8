// A program that is linked with -no-pie has its variables at the same addresses in each run: pools may lead to them.
#include <cstring>

#include "checked_test.h"

namespace perdure::testing {
namespace {

char buffer[16];
const char* const text = "a constant";

TEST_F(CheckedTest, LeadsToVariablesOfItself) {
  expect_nothing([](Pool&, Bank& bank) {
    TM_BEGIN {
      bank.name = buffer;
      bank.texts.push_back(buffer + 1);
      bank.texts.push_back(text);
    } TM_END;
    bank.inner.text = buffer;
  });
}

TEST_F(CheckedTest, LeadsNotToTheHeap) {
  expect_report(
      [](Pool&, Bank& bank) {
        const char* const copy = strdup("text");
        TM_BEGIN { bank.name = copy; } TM_END;  // LeadsNotToTheHeap
      },
      "LeadsNotToTheHeap", {"perdure: a pool holds a pointer to volatile memory", "the heap"});
}

}  // namespace
}  // namespace perdure::testing
