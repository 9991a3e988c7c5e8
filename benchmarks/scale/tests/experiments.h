#ifndef PERDURE_BENCHMARKS_SCALE_TESTS_EXPERIMENTS_H
#define PERDURE_BENCHMARKS_SCALE_TESTS_EXPERIMENTS_H

#include <cstdint>
#include <string>
#include <vector>

#include "calibration.h"

/// Small experiments, of which one can say what must come out.
namespace perdure::scale {

constexpr std::uint32_t far_apart = 16;  // stripes: no line in common, nor one of ownership records

inline Access read_of(std::uint32_t stripe) { return {stripe, 0, 1, 0}; }
inline Access write_of(std::uint32_t stripe) { return {stripe, 1, 1, 0}; }

/// A thread that runs the same transaction for ever.
inline Stream stream_of(const std::vector<Access>& accesses) {
  std::uint32_t writes = 0;
  for (const Access& access : accesses) writes += access.is_write;
  const auto count = static_cast<std::uint32_t>(accesses.size());
  return {{{count, count - writes, writes, count - writes, 0, 0}}, accesses};
}

/// Threads whose transactions read and write what no other does.
inline std::vector<Stream> disjoint(unsigned threads, std::uint32_t accesses) {
  std::vector<Stream> streams;
  for (std::uint32_t thread = 0; thread < threads; ++thread) {
    std::vector<Access> own;
    for (std::uint32_t i = 0; i < accesses; ++i) {
      const std::uint32_t stripe = (thread * accesses + i) * far_apart;
      own.push_back(i % 2 == 1 ? write_of(stripe) : read_of(stripe));
    }
    streams.push_back(stream_of(own));
  }
  return streams;
}

inline std::vector<Stream> all_the_same(unsigned threads, const std::vector<Access>& accesses) {
  return std::vector<Stream>(threads, stream_of(accesses));
}

/// Nothing costs anything but the body.
inline Costs body_only() {
  Costs costs;
  costs.body = 1000;
  return costs;
}

inline double throughput(const std::string& algorithm, const std::string& mode, unsigned threads,
                         const std::vector<Stream>& streams, const Costs& costs) {
  return simulate({algorithm, mode, threads, 1e6, 1}, streams, costs).transactions_per_second;
}

inline double speedup(const std::string& algorithm, const std::string& mode, unsigned threads,
                      const std::vector<Stream>& streams, const Costs& costs) {
  return throughput(algorithm, mode, threads, streams, costs) / throughput(algorithm, mode, 1, streams, costs);
}

}  // namespace perdure::scale

#endif
