#ifndef PERDURE_BENCHMARKS_TESTS_MAP_ORACLE_H
#define PERDURE_BENCHMARKS_TESTS_MAP_ORACLE_H

#include <array>
#include <map>

#include <gtest/gtest.h>

#include "common/random.h"
#include "perdure/transaction.h"
#include "scratch_pool.h"
#include "structures/key.h"

namespace perdure::benchmarks {

/// Performs the same random operations on a structure, in transactions, and on a std::map, and compares every result.
/// A transaction has up to eight operations; one in five throws at its end, and must leave no trace.
/// \tparam Subject  gives a structure the interface `find(key)` (a pointer to the value or null), `insert(key, value)`
/// and `erase(key)` (whether anything changed), `for_each(visit(key, value))`, `violations()`. One that is a set gives
/// all keys the value 0 and says so by a member `is_set`.
template <class Subject>
class MapOracle {
 public:
  MapOracle(Subject& subject, std::int64_t keys, std::uint64_t seed) : subject_(subject), keys_(keys), random_(seed) {}

  /// \param insert_percent  of the operations that are no look-ups.
  void run(int transactions, unsigned insert_percent) {
    for (int i = 0; i < transactions; ++i) run_transaction(insert_percent);
    compare(subject_);
  }

  /// Removes everything, in random order.
  void remove_all() {
    while (!expected_.empty()) {
      const auto next = expected_.lower_bound(static_cast<Key>(random_.between(0, keys_ - 1)));
      const Key key = next != expected_.end() ? next->first : expected_.begin()->first;
      ASSERT_TRUE(TM_BEGIN { return subject_.erase(key); } TM_END) << key;
      expected_.erase(key);
    }
    compare(subject_);
  }

  /// That `other` holds what it should, and is sound.
  void compare(const Subject& other) const {
    ASSERT_EQ(joined(other.violations()), "");
    std::map<Key, std::uint64_t> found;
    other.for_each([&](Key key, std::uint64_t value) { found.emplace(key, value); });
    ASSERT_EQ(found, expected_);
  }

 private:
  enum class Kind { look_up, insert, erase };

  struct Operation {
    Kind kind;
    Key key;
    std::uint64_t value;
    bool done;            // the structure's answer
    std::uint64_t found;  // a look-up's
  };

  struct Rejected {};

  static constexpr std::size_t most_operations = 8;

  void run_transaction(unsigned insert_percent) {
    std::array<Operation, most_operations> operations;
    const auto count = static_cast<std::size_t>(random_.between(1, most_operations));
    for (std::size_t i = 0; i < count; ++i) operations[i] = next_operation(insert_percent);
    const bool rejected = random_.percent(20);
    try {
      TM_BEGIN {
        for (std::size_t i = 0; i < count; ++i) apply(operations[i]);
        if (rejected) throw Rejected{};
      } TM_END;
      for (std::size_t i = 0; i < count; ++i) verify(operations[i]);
    } catch (const Rejected&) {
      ASSERT_TRUE(rejected);
    }
  }

  Operation next_operation(unsigned insert_percent) {
    const Kind kind = random_.percent(20)               ? Kind::look_up
                      : random_.percent(insert_percent) ? Kind::insert
                                                        : Kind::erase;
    const auto key = static_cast<Key>(random_.between(0, keys_ - 1));
    return {kind, key, requires {Subject::is_set;
  }
  ? 0 : random_.next(), false, 0
};
}  // namespace perdure::benchmarks

void apply(Operation& operation) {
  if (operation.kind == Kind::insert) {
    operation.done = subject_.insert(operation.key, operation.value);
  } else if (operation.kind == Kind::erase) {
    operation.done = subject_.erase(operation.key);
  } else {
    const auto* value = subject_.find(operation.key);
    operation.done = value != nullptr;
    if (value != nullptr) operation.found = *value;
  }
}

void verify(const Operation& operation) {
  const auto known = expected_.find(operation.key);
  const bool is_known = known != expected_.end();
  ASSERT_EQ(operation.done, operation.kind == Kind::insert ? !is_known : is_known) << operation.key;
  if (operation.kind == Kind::look_up && is_known) {
    ASSERT_EQ(operation.found, known->second);
  }
  if (operation.kind == Kind::insert && !is_known) expected_.emplace(operation.key, operation.value);
  if (operation.kind == Kind::erase && is_known) expected_.erase(known);
}

Subject& subject_;
const std::int64_t keys_;
Random random_;
std::map<Key, std::uint64_t> expected_;
}
;

/// The whole test of a structure: growing, shrinking, growing again, in a pool; then the pool opened again; then empty.
template <class Subject>
void expect_like_a_map(std::int64_t keys, int transactions) {
  ScratchPool pool;
  auto& subject = pool.get().root<Subject>("subject");
  MapOracle<Subject> oracle(subject, keys, 1);
  oracle.run(transactions, 90);
  oracle.run(transactions, 10);
  oracle.run(transactions, 50);
  if (library_is_durable()) oracle.compare(pool.reopen().root<Subject>("subject"));
  oracle.remove_all();
}

}  // namespace perdure::benchmarks

#endif
