#ifndef PERDURE_BENCHMARKS_RESULT_H
#define PERDURE_BENCHMARKS_RESULT_H

#include <cstdint>
#include <iosfwd>
#include <string>

#include "latency.h"
#include "options.h"
#include "perdure/open_report.h"
#include "perdure/statistics.h"

namespace perdure::benchmarks {

/// What was measured between the end of the warm-up and the end of the last worker.
struct Measurement {
  std::uint64_t transactions = 0;  // those that were rolled back on purpose included
  std::uint64_t rolled_back = 0;
  double seconds = 0;
  double processor_seconds = 0;      // of all threads: what others do on the machine disturbs it least
  std::uint64_t volatile_bytes = 0;  // at the end (footprint.h)
  LatencyHistogram latency;
  Statistics statistics;
};

/// One line of a result file.
struct Result {
  std::string benchmark;
  std::string parameters;
  std::string library;
  bool durable = false;
  std::string file_system;  // that the pool lies on
  Options options;
  std::size_t running_threads = 0;  // at once, of those that are measured with; servers and their clients, perhaps
  OpenReport opened;
  double population_seconds = 0;
  std::uint64_t pool_bytes = 0;
  std::uint64_t stored_bytes = 0;  // of the pool, without holes (footprint.h)
  Measurement measured;
};

/// Writes the result: as a table for people, as JSON on one line, or as CSV with a header line. Every format has the
/// same fields.
void write(std::ostream& out, const Result& result, Format format);

}  // namespace perdure::benchmarks

#endif
