#ifndef PERDURE_PLUGIN_TESTS_COMPARE_H
#define PERDURE_PLUGIN_TESTS_COMPARE_H

#include <cstdio>
#include <cstdlib>

#include "deferred_runtime.h"
#include "perdure/transaction.h"

/// Runs the same work on two objects of one type, plainly and in a transaction, and requires equal results.
/// `work(object)` returns something that sums up what it saw and left.
template <class T, class Work>
void compare(const char* name, T& plain, T& shared, Work&& work) {
  const auto expected = work(plain);
  auto actual = decltype(expected){};
  const auto writes_before = deferred_runtime::writes();
  TM_BEGIN { actual = work(shared); } TM_END;
  if (actual == expected && deferred_runtime::writes() > writes_before) return;
  std::printf("%s: the transaction differs from the plain run\n", name);
  std::exit(1);
}

#endif
