#ifndef PERDURE_BENCHMARKS_ALLOCATION_WORKLOAD_H
#define PERDURE_BENCHMARKS_ALLOCATION_WORKLOAD_H

#include <array>
#include <cstdint>
#include <stdexcept>

#include "common/random.h"
#include "common/rooted_workload.h"
#include "parameters.h"

namespace perdure::benchmarks::allocation {

/// The root object of the pool. What is measured hangs on the threads.
struct Data {
  Scale scale;
  PopulationState population = PopulationState::empty;
};

/// Runs `body` in a transaction, or as it is.
template <bool IsPlain, class Body>
auto run(Body body) {
  if constexpr (IsPlain)
    return body();
  else
    return execute(body);
}

struct Tree {
  Tree* left;
  Tree* right;

  static Tree* make(std::uint32_t depth) {
    return depth == 1 ? new Tree{nullptr, nullptr} : new Tree{make(depth - 1), make(depth - 1)};
  }
  static std::uint64_t count(const Tree* tree) {
    return tree == nullptr ? 0 : 1 + count(tree->left) + count(tree->right);
  }
  static void free(Tree* tree) {
    if (tree == nullptr) return;
    free(tree->left);
    free(tree->right);
    delete tree;
  }
};

/// Trees that are larger than a transaction.
template <bool IsPlain>
class LargeTree {
 public:
  explicit LargeTree(const Parameters& parameters) : levels_(parameters.subtree_depth) {}

  Tree* make(std::uint32_t depth) const {
    if (depth <= levels_) return run<IsPlain>([depth] { return Tree::make(depth); });
    Tree* const left = make(depth - 1);
    Tree* const right = make(depth - 1);
    return run<IsPlain>([left, right] { return new Tree{left, right}; });
  }

  std::uint64_t count(const Tree* tree, std::uint32_t depth) const {
    if (depth <= levels_) return run<IsPlain>([tree] { return Tree::count(tree); });
    const auto [left, right] = run<IsPlain>([tree] { return *tree; });
    return 1 + count(left, depth - 1) + count(right, depth - 1);
  }

  void free(Tree* tree, std::uint32_t depth) const {
    if (depth <= levels_) return run<IsPlain>([tree] { Tree::free(tree); });
    const auto [left, right] = run<IsPlain>([tree] { return *tree; });
    free(left, depth - 1);
    free(right, depth - 1);
    run<IsPlain>([tree] { delete tree; });
  }

 private:
  std::uint32_t levels_;
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
    if (parameters_.is_churn)
      parameters_.is_plain ? replace_blocks<true>() : replace_blocks<false>();
    else
      parameters_.is_plain ? use_tree<true>() : use_tree<false>();
    return Outcome::committed;
  }

 private:
  template <bool IsPlain>
  void use_tree() const {
    const LargeTree<IsPlain> trees(parameters_);
    const std::uint32_t depth = parameters_.depth;
    Tree* const tree = trees.make(depth);
    if (trees.count(tree, depth) != (std::uint64_t{1} << depth) - 1) throw std::runtime_error("a tree has lost nodes");
    trees.free(tree, depth);
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
