#ifndef PERDURE_SIMULATE_WORKLOAD_H
#define PERDURE_SIMULATE_WORKLOAD_H

#include <filesystem>
#include <string>
#include <vector>

#include "perdure/pool.h"
#include "simulate/notes.h"
#include "simulate/violation.h"

namespace perdure::simulate {

using Pools = std::vector<Pool>;
using Paths = std::vector<std::filesystem::path>;

/// A program to crash, and what must hold afterwards. `run` and `check` are called many times, and must do the same
/// each time.
class Workload {
 public:
  virtual ~Workload() = default;

  virtual std::size_t pools() const { return 1; }

  /// Fills the new pools. No crash comes here.
  virtual void prepare(Pools&) {}

  /// What is crashed: opens the pools, works, says what it does (simulate/notes.h), and closes them or not.
  virtual void run(const Paths& paths) = 0;

  /// What is done after a crash: opens the pools, which recovers them, checks them, and closes them.
  /// \throws Violation, or anything else, when it finds what must not be.
  virtual void recover_and_check(const Paths& paths, const Notes& notes);

 protected:
  /// Looks at the pools after a crash and recovery, and uses them some more.
  virtual void check(Pools&, const Notes&) {}
};

Pools open_all(const Paths& paths);

}  // namespace perdure::simulate

#endif
