#ifndef PERDURE_BENCHMARKS_FANNKUCH_WORKLOAD_H
#define PERDURE_BENCHMARKS_FANNKUCH_WORKLOAD_H

#include <cstdint>

#include "common/rooted_workload.h"
#include "permutations.h"

namespace perdure::benchmarks::fannkuch {

/// The root object of the pool.
struct Data {
  Scale scale;
  PopulationState population = PopulationState::empty;
  Board board;
  std::uint64_t runs = 0;
  Answer answer;  // of the last run
};

/// One thread that goes through all permutations again and again.
class Worker {
 public:
  explicit Worker(Data& data) : data_(data) {}

  Outcome step() {
    Data& data = data_;
    TM_BEGIN {
      data.answer = go_through_permutations(data.board, data.scale.elements);
      ++data.runs;
    } TM_END;
    return Outcome::committed;
  }

 private:
  Data& data_;
};

/// A transaction that is long but changes little: all n! permutations of an array of n bytes (ATC'20, section 6.4.1,
/// Figure 6). Threads share the array, so each of several waits for the others.
class Fannkuch : public RootedWorkload<Data, Parameters> {
 public:
  using Worker = fannkuch::Worker;

  static constexpr const char* name = "fannkuch";

  Fannkuch(Pool& pool, const Parameters& parameters, std::size_t /*threads*/)
      : RootedWorkload(pool, "fannkuch", parameters) {}

  void begin_population() {
    RootedWorkload::begin_population();
    TM_BEGIN {
      for (std::uint32_t i = 0; i < Parameters::most_elements; ++i)
        root_.board.elements[i] = static_cast<std::uint8_t>(i);
    } TM_END;
  }

  void populate(const Share&) {}
  Worker worker(const Share&) { return Worker(root_); }

  /// Every run puts the elements back in place, and finds what a run without transactions finds.
  std::vector<std::string> violations() const {
    std::vector<std::string> found;
    Board board = root_.board;
    for (std::uint32_t i = 0; i < parameters_.scale.elements; ++i) {
      expect_equal(found, "element " + std::to_string(i), board.elements[i], "its place", i);
    }
    if (root_.runs == 0 || !found.empty()) return found;
    const Answer right = go_through_permutations(board, parameters_.scale.elements);
    expect_equal(found, "the checksum", root_.answer.checksum, "the right one", right.checksum);
    expect_equal(found, "the largest number of flips", root_.answer.most_flips, "the right one", right.most_flips);
    return found;
  }
};

}  // namespace perdure::benchmarks::fannkuch

#endif
