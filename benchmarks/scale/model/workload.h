#ifndef PERDURE_BENCHMARKS_SCALE_WORKLOAD_H
#define PERDURE_BENCHMARKS_SCALE_WORKLOAD_H

#include <cstdint>
#include <span>
#include <vector>

#include "costs.h"
#include "mode.h"
#include "scale/trace.h"

namespace perdure::scale {

/// An access, with the line that it is to, numbered densely.
struct Touch {
  Access access;
  std::uint32_t line;
};

/// A transaction of the trace, with what a library has to do for it.
struct Work {
  std::vector<Touch> touches;
  std::vector<std::uint32_t> written_lines;
  double entries = 0;         ///< of its log
  double log_lines = 0;       ///< flushed before it counts
  double data_lines = 0;      ///< flushed afterwards
  double captured_lines = 0;  ///< of blocks that it allocated
  double noted_orecs = 0;     ///< for each stripe that it reads; some are noted more than once
  double noted_values = 0;    ///< likewise, by those who validate values
  Time outside = 0;           ///< before it
  Time rest = 0;              ///< of the body, behind the last of its touches
  Time an_access = 0;         ///< each read or write, with its part of the body
  bool writes() const { return entries > 0; }
};

/// The transactions of a trace, ready to be run by a library.
class Workload {
 public:
  /// \param is_eager  the library updates in place.
  Workload(const std::vector<Stream>& streams, const Mode& mode, bool is_eager, const Costs& costs);

  const std::vector<Work>& of_thread(std::size_t number) const { return works_[number]; }
  std::size_t lines() const { return lines_; }
  std::size_t threads() const { return works_.size(); }

 private:
  std::vector<std::vector<Work>> works_;
  std::size_t lines_ = 0;
};

}  // namespace perdure::scale

#endif
