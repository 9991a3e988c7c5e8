#ifndef PERDURE_BENCHMARKS_BPTREE_WORKLOAD_H
#define PERDURE_BENCHMARKS_BPTREE_WORKLOAD_H

#include <stdexcept>

#include "common/local_count.h"
#include "common/random.h"
#include "common/rooted_workload.h"
#include "parameters.h"
#include "structures/bplus_tree.h"

namespace perdure::benchmarks::bptree {

/// The root object of the pool.
struct Data {
  Scale scale;
  PopulationState population = PopulationState::empty;
  BPlusTree<std::uint64_t> tree;
};

/// Every key has one value, so that what is read can be checked.
constexpr std::uint64_t value_of(Key key) { return ~key; }

/// Inserts a key, with its twin if keys have twins.
/// \returns how many were not there.
inline int insert(BPlusTree<std::uint64_t>& tree, const Scale& scale, Key key) {
  int added = tree.insert(key, value_of(key)).second;
  if (scale.twins) added += tree.insert(scale.twin_of(key), value_of(scale.twin_of(key))).second;
  return added;
}

/// \returns how many were there.
inline int remove(BPlusTree<std::uint64_t>& tree, const Scale& scale, Key key) {
  int removed = tree.erase(key);
  if (scale.twins) removed += tree.erase(scale.twin_of(key));
  return removed;
}

/// One thread that works on the tree.
class Worker {
 public:
  /// \param entries  how many entries the tree has.
  Worker(BPlusTree<std::uint64_t>& tree, const Parameters& parameters, const Share& share, LocalCount::Total& entries)
      : tree_(tree), parameters_(parameters), random_(share.seed), added_(entries) {}

  Outcome step() {
    auto& tree = tree_;
    const Scale scale = parameters_.scale;
    const auto key = static_cast<Key>(random_.between(0, static_cast<std::int64_t>(parameters_.scale.keys()) - 1));
    const auto& mix = parameters_.mix;
    const auto drawn = random_.between(0, 99);
    if (drawn < mix.lookup) {
      look_up(key);
    } else if (drawn < mix.lookup + mix.insert) {
      added_ += TM_BEGIN { return insert(tree, scale, key); } TM_END;
    } else if (drawn < mix.lookup + mix.insert + mix.range) {
      query_range(key, key + parameters_.range_keys);
    } else {
      added_ -= TM_BEGIN { return remove(tree, scale, key); } TM_END;
    }
    return Outcome::committed;
  }

 private:
  void look_up(Key key) {
    auto& tree = tree_;
    std::uint64_t value = value_of(key);
    TM_BEGIN {
      const auto* found = tree.find(key);
      if (found != nullptr) value = *found;
    } TM_END;
    expect(value == value_of(key));
  }

  // The keys in [begin, end).
  void query_range(Key begin, Key end) {
    struct Result {
      Key last;
      std::uint64_t wrong_values;  // bits that differ, of all values together
      bool sorted;
    };
    auto& tree = tree_;
    const Result result = TM_BEGIN {
      Result seen{begin, 0, true};
      for (auto position = tree.lower_bound(begin); position != tree.end(); ++position) {
        const Key key = position.key();
        if (key >= end) break;
        seen.sorted &= key > seen.last || key == begin;
        seen.last = key;
        seen.wrong_values |= position.value() ^ value_of(key);
      }
      return seen;
    } TM_END;
    expect(result.sorted && result.wrong_values == 0);
  }

  static void expect(bool as_written) {
    if (!as_written) throw std::logic_error("a value read is not the one written: transactions are not isolated");
  }

  BPlusTree<std::uint64_t>& tree_;
  const Parameters parameters_;
  Random random_;
  LocalCount added_;
};

/// Look-ups, insertions, range queries and removals in one tree, each a transaction.
class Tree : public RootedWorkload<Data, Parameters> {
 public:
  using Worker = bptree::Worker;

  static constexpr const char* name = "bptree";

  Tree(Pool& pool, const Parameters& parameters, std::size_t /*threads*/)
      : RootedWorkload(pool, "bptree", parameters), entries_(count()) {}

  void populate(const Share& share) {
    constexpr std::size_t keys_per_transaction = 16;
    for_each_batch(share, root_.scale.preloaded(), keys_per_transaction, [this](std::size_t begin, std::size_t end) {
      entries_ += TM_BEGIN {
        int added = 0;
        for (auto i = begin; i < end; ++i) added += insert(root_.tree, parameters_.scale, scattered(i));
        return added;
      } TM_END;
    });
  }

  Worker worker(const Share& share) { return Worker(root_.tree, parameters_, share, entries_); }

  std::vector<std::string> violations() const {
    auto found = root_.tree.violations();
    if (!found.empty()) return found;
    for (auto position = root_.tree.begin(); position != root_.tree.end(); ++position) {
      const Key key = position.key();
      expect_equal(found, "the value of key " + std::to_string(key), position.value(), "written", value_of(key));
      if (parameters_.scale.twins && root_.tree.find(parameters_.scale.twin_of(key)) == nullptr) {
        found.push_back("key " + std::to_string(key) + " is there without its twin");
      }
      if (key >= parameters_.scale.keys()) found.push_back("key " + std::to_string(key) + " was never inserted");
    }
    expect_equal(found, "the number of entries", count(), "what was added and not removed", entries_.load());
    return found;
  }

 private:
  // The i-th of the keys that are preloaded: all different, since an odd factor is a bijection modulo a power of two.
  Key scattered(std::uint64_t i) const {
    constexpr std::uint64_t odd = 0x9e3779b97f4a7c15;
    return i * odd % parameters_.scale.keys();
  }

  std::int64_t count() const {
    std::int64_t entries = 0;
    for (auto position = root_.tree.begin(); position != root_.tree.end(); ++position) ++entries;
    return entries;
  }

  LocalCount::Total entries_;
};

}  // namespace perdure::benchmarks::bptree

#endif
