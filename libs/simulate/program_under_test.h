#ifndef PERDURE_SIMULATE_PROGRAM_UNDER_TEST_H
#define PERDURE_SIMULATE_PROGRAM_UNDER_TEST_H

#include "simulate/workload.h"

namespace perdure::simulate {

/// The functions that a user's program defines (perdure/crashtest.h).
class ProgramUnderTest : public Workload {
 public:
  /// Whether this program defines them.
  static bool is_defined();

  void run(const Paths& paths) override;
  void recover_and_check(const Paths& paths, const Notes& notes) override;
};

}  // namespace perdure::simulate

#endif
