#ifndef PERDURE_BENCHMARKS_TESTS_DAMAGE_TEST_H
#define PERDURE_BENCHMARKS_TESTS_DAMAGE_TEST_H

#include <string>

#include <gtest/gtest.h>

#include "perdure/transaction.h"
#include "scratch_pool.h"

namespace perdure::benchmarks {

/// A small populated workload, whose data is damaged to see whether its check tells.
/// \tparam Data  the type of the pool's root.
template <Workload W, class Data>
class DamageTest : public ::testing::Test {
 protected:
  DamageTest(const char* root, const typename W::Parameters& parameters)
      : workload_(pool_.get(), parameters, 1), database_(pool_.get().root<Data>(root)) {
    populate(workload_);
  }

  // Applies `damage` in a transaction, like any change of a pool, and expects it to be told.
  template <class Damage>
  void expect_told(const std::string& expected, Damage damage) {
    ASSERT_EQ(joined(workload_.violations()), "");
    TM_BEGIN { damage(database_); } TM_END;
    const auto told = joined(workload_.violations());
    EXPECT_NE(told.find(expected), std::string::npos) << told;
  }

  ScratchPool pool_;
  W workload_;
  Data& database_;
};

}  // namespace perdure::benchmarks

#endif
