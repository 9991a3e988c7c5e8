#ifndef PERDURE_BENCHMARKS_ALLOCATION_BINARY_TREES_H
#define PERDURE_BENCHMARKS_ALLOCATION_BINARY_TREES_H

#include <cstdint>
#include <stdexcept>

#include "perdure/transaction.h"

namespace perdure::benchmarks::allocation {

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
  explicit LargeTree(std::uint32_t levels_in_transaction) : levels_(levels_in_transaction) {}

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

/// Trees that come and go. Each is counted before it is freed.
template <bool IsPlain>
class BinaryTrees {
 public:
  explicit BinaryTrees(std::uint32_t levels_in_transaction) : trees_(levels_in_transaction) {}

  void use_tree(std::uint32_t depth) const { free(trees_.make(depth), depth); }

  /// Binary-trees of the Computer Language Benchmarks Game: a tree to stretch the memory, one that lives to the end,
  /// and meanwhile, of every second depth, so many short-lived ones that each depth has as many nodes.
  void play(std::uint32_t depth) const {
    use_tree(depth + 1);
    Tree* const long_lived = trees_.make(depth);
    for (std::uint32_t short_lived = least_depth; short_lived <= depth; short_lived += 2) {
      const std::uint64_t count = std::uint64_t{1} << (depth - short_lived + least_depth);
      for (std::uint64_t i = 0; i < count; ++i) use_tree(short_lived);
    }
    free(long_lived, depth);
  }

 private:
  static constexpr std::uint32_t least_depth = 4;

  void free(Tree* tree, std::uint32_t depth) const {
    if (trees_.count(tree, depth) != (std::uint64_t{1} << depth) - 1) throw std::runtime_error("a tree has lost nodes");
    trees_.free(tree, depth);
  }

  LargeTree<IsPlain> trees_;
};

}  // namespace perdure::benchmarks::allocation

#endif
