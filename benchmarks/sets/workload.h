#ifndef PERDURE_BENCHMARKS_SETS_WORKLOAD_H
#define PERDURE_BENCHMARKS_SETS_WORKLOAD_H

#include <optional>

#include "common/local_count.h"
#include "common/random.h"
#include "common/rooted_workload.h"
#include "parameters.h"

namespace perdure::benchmarks::sets {

/// The root object of the pool.
template <class Structure>
struct Data {
  Scale scale;
  PopulationState population = PopulationState::empty;
  Structure set;
};

/// How many members there are, and how many of the keys that were looked up were members.
struct Counts {
  LocalCount::Total members;
  LocalCount::Total found;
};

/// One thread that works on the set.
template <class Structure>
class Worker {
 public:
  Worker(Structure& set, const Parameters& parameters, const Share& share, Counts& counts)
      : set_(set), parameters_(parameters), random_(share.seed), added_(counts.members), found_(counts.found) {}

  Outcome step() {
    if (removed_) {
      add_back();
    } else if (!random_.percent(parameters_.update_percent)) {
      look_up();
    } else if (parameters_.scale.half) {
      insert_or_erase();
    } else {
      remove();
    }
    return Outcome::committed;
  }

 private:
  Key draw() { return static_cast<Key>(random_.between(0, static_cast<std::int64_t>(parameters_.scale.keys) - 1)); }

  // One key, or two in the preset where all are members.
  void look_up() {
    auto& set = set_;
    const Key one = draw(), other = parameters_.scale.half ? one : draw();
    found_ += TM_BEGIN {
      unsigned found = set.contains(one);
      if (other != one) found += set.contains(other);
      return found;
    } TM_END;
  }

  void insert_or_erase() {
    auto& set = set_;
    const Key key = draw();
    if (random_.percent(50)) {
      added_ += TM_BEGIN { return set.insert(key); } TM_END;
    } else {
      added_ -= TM_BEGIN { return set.erase(key); } TM_END;
    }
  }

  void remove() {
    auto& set = set_;
    const Key key = draw();
    const bool whole = parameters_.scale.whole_updates;
    const bool removed = TM_BEGIN {
      if (!set.erase(key)) return false;
      if (whole) set.insert(key);
      return true;
    } TM_END;
    if (!removed || whole) return;
    added_ -= 1;
    removed_ = key;
  }

  // Nobody else has: a key that is not there is not removed.
  void add_back() {
    auto& set = set_;
    const Key key = *removed_;
    added_ += TM_BEGIN { return set.insert(key); } TM_END;
    removed_.reset();
  }

  Structure& set_;
  const Parameters parameters_;
  Random random_;
  std::optional<Key> removed_;  // and not added back yet
  LocalCount added_;
  LocalCount found_;  // so that every look-up's result is used
};

/// Look-ups and updates of a set of keys.
template <class Structure>
class Sets : public RootedWorkload<Data<Structure>, Parameters> {
  using Base = RootedWorkload<Data<Structure>, Parameters>;
  using Base::parameters_;
  using Base::root_;

 public:
  using Worker = sets::Worker<Structure>;

  static constexpr const char* name = "sets";

  Sets(Pool& pool, const Parameters& parameters, std::size_t /*threads*/)
      : Base(pool, "sets", parameters), counts_{count(), 0} {
    auto& keys = parameters_.scale.keys;
    if (keys == 0) keys = parameters_.structure == "list" ? 10'000 : 1'000'000;
  }

  void begin_population() {
    Base::begin_population();
    if constexpr (requires(Structure& set) { set.reserve(1); }) {
      TM_BEGIN { root_.set.reserve(parameters_.scale.members()); } TM_END;
    }
  }

  void populate(const Share& share) {
    constexpr std::size_t keys_per_transaction = has_lock_per_key() ? 1 : 16;
    const Scale scale = parameters_.scale;
    const auto members = scale.members();
    for_each_batch(share, members, keys_per_transaction, [&](std::size_t begin, std::size_t end) {
      TM_BEGIN {
        for (auto i = begin; i < end; ++i) root_.set.insert(scale.added(i));
      } TM_END;
      counts_.members += static_cast<std::int64_t>(end - begin);
    });
  }

  Worker worker(const Share& share) { return Worker(root_.set, parameters_, share, counts_); }

  std::vector<std::string> violations() const {
    auto found = root_.set.violations();
    if (!found.empty()) return found;
    const Scale scale = parameters_.scale;
    std::vector<bool> seen(scale.keys);
    root_.set.for_each([&](Key key) {
      if (key >= scale.keys || seen[key]) {
        found.push_back("key " + std::to_string(key) + (key >= scale.keys ? " was never added" : " is there twice"));
      } else {
        seen[key] = true;
      }
    });
    expect_equal(found, "the number of members", count(), "what was added and not removed", counts_.members.load());
    if (scale.whole_updates) expect_equal(found, "the number of members", count(), "populated", scale.members());
    return found;
  }

 private:
  // Transactions that took several locks, in the order of their keys, might wait for each other for ever.
  static constexpr bool has_lock_per_key() {
    if constexpr (requires { Structure::has_lock_per_key; }) return Structure::has_lock_per_key;
    return false;
  }

  std::int64_t count() const {
    std::int64_t members = 0;
    root_.set.for_each([&](Key) { ++members; });
    return members;
  }

  Counts counts_;
};

}  // namespace perdure::benchmarks::sets

#endif
