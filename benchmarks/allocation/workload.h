#ifndef PERDURE_BENCHMARKS_ALLOCATION_WORKLOAD_H
#define PERDURE_BENCHMARKS_ALLOCATION_WORKLOAD_H

#include <array>
#include <cstdint>

#include "binary_trees.h"
#include "common/random.h"
#include "common/rooted_workload.h"
#include "parameters.h"

namespace perdure::benchmarks::allocation {

/// The root object of the pool. What is measured hangs on the threads.
struct Data {
  Scale scale;
  PopulationState population = PopulationState::empty;
};

/// One thread that allocates and frees.
class Worker {
 public:
  Worker(const Parameters& parameters, const Share& share) : parameters_(parameters), random_(share.seed) {}
  Worker(const Worker&) = delete;
  Worker& operator=(const Worker&) = delete;
  ~Worker() {
    if (blocks_ != nullptr) parameters_.is_plain ? end_churn<true>() : end_churn<false>();
  }

  Outcome step() {
    parameters_.is_plain ? run_job<true>() : run_job<false>();
    return Outcome::committed;
  }

 private:
  template <bool IsPlain>
  void run_job() {
    const BinaryTrees<IsPlain> trees(parameters_.subtree_depth);
    switch (parameters_.job) {
      case Job::tree:
        return trees.use_tree(parameters_.depth);
      case Job::game:
        return trees.play(parameters_.depth);
      case Job::churn:
        return replace_blocks<IsPlain>();
    }
  }

  struct Replacement {
    std::uint32_t block;
    std::uint32_t bytes;
  };

  template <bool IsPlain>
  void begin_churn() {
    const std::uint32_t count = parameters_.blocks;
    blocks_ = run<IsPlain>([count] { return new char*[count]; });
    char** const blocks = blocks_;
    for (std::uint32_t i = 0; i < count; ++i) run<IsPlain>([blocks, i] { blocks[i] = new char[64]; });
  }

  template <bool IsPlain>
  void end_churn() {
    char** const blocks = blocks_;
    for (std::uint32_t i = 0; i < parameters_.blocks; ++i) run<IsPlain>([blocks, i] { delete[] blocks[i]; });
    run<IsPlain>([blocks] { delete[] blocks; });
  }

  template <bool IsPlain>
  void replace_blocks() {
    if (blocks_ == nullptr) begin_churn<IsPlain>();
    const std::uint32_t count = parameters_.batch;
    std::array<Replacement, Parameters::most_in_batch> replacements;
    for (std::uint32_t i = 0; i < count; ++i) replacements[i] = {draw(0, parameters_.blocks - 1), draw(10, 500)};
    char** const blocks = blocks_;
    run<IsPlain>([blocks, count, &replacements] {
      for (std::uint32_t i = 0; i < count; ++i) {
        char*& block = blocks[replacements[i].block];
        delete[] block;
        block = new char[replacements[i].bytes];
        block[0] = 1;
      }
    });
  }

  std::uint32_t draw(std::int64_t from, std::int64_t to) {
    return static_cast<std::uint32_t>(random_.between(from, to));
  }

  const Parameters parameters_;
  Random random_;
  char** blocks_ = nullptr;
};

/// Allocation and freeing, and next to nothing else.
class Allocation : public RootedWorkload<Data, Parameters> {
 public:
  using Worker = allocation::Worker;
  static constexpr const char* name = "allocation";

  Allocation(Pool& pool, const Parameters& parameters, std::size_t /*threads*/)
      : RootedWorkload(pool, "allocation", parameters) {}

  void populate(const Share&) {}
  Worker worker(const Share& share) { return Worker(parameters_, share); }

  /// Trees are counted as they are used.
  std::vector<std::string> violations() const { return {}; }
};

}  // namespace perdure::benchmarks::allocation

#endif
