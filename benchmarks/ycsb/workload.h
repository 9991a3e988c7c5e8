#ifndef PERDURE_BENCHMARKS_YCSB_WORKLOAD_H
#define PERDURE_BENCHMARKS_YCSB_WORKLOAD_H

#include <cstdint>
#include <stdexcept>

#include "client.h"
#include "common/rooted_workload.h"
#include "structures/hash_index.h"

namespace perdure::benchmarks::ycsb {

/// The root object of the pool.
struct Data {
  Scale scale;
  PopulationState population = PopulationState::empty;
  HashIndex<Record> records;
};

/// What a client asks for, each a transaction.
class Transactions {
 public:
  explicit Transactions(HashIndex<Record>& records) : records_(records) {}

  Record read(Key key) const {
    auto& records = records_;
    Record record;
    TM_BEGIN { record = *records.find(key); } TM_END;
    return record;
  }

  void set(Key key, std::size_t number, const Field& field) {
    auto& records = records_;
    TM_BEGIN { records.find(key)->field[number] = field; } TM_END;
  }

  void increment(Key key, std::size_t number) {
    auto& records = records_;
    Record record;
    TM_BEGIN {
      Record* const place = records.find(key);
      record = *place;
      place->field[number] = Field::with(record.field[number].number + 1);
    } TM_END;
    expect_intact(record);
  }

 private:
  HashIndex<Record>& records_;
};

/// YCSB's core workloads A and F over a hash table.
class Ycsb : public RootedWorkload<Data, Parameters> {
 public:
  using Worker = Client<Transactions>;

  static constexpr const char* name = "ycsb";

  Ycsb(Pool& pool, const Parameters& parameters, std::size_t /*threads*/)
      : RootedWorkload(pool, "ycsb", parameters), sum_(sum_of(root_.records)) {}

  void begin_population() {
    RootedWorkload::begin_population();
    TM_BEGIN { root_.records.reserve(parameters_.scale.records); } TM_END;
  }

  void populate(const Share& share) {
    constexpr std::size_t batch = 100;
    for_each_batch(share, parameters_.scale.records, batch, [this](std::size_t begin, std::size_t end) {
      TM_BEGIN {
        for (std::size_t key = begin; key < end; ++key) root_.records.insert(key, Record());
      } TM_END;
    });
  }

  Worker worker(const Share& share) { return {Transactions(root_.records), parameters_, share, sum_}; }

  std::vector<std::string> violations() const {
    auto found = root_.records.violations();
    check(found, root_.records, parameters_, sum_.load());
    return found;
  }

 private:
  LocalCount::Total sum_;
};

}  // namespace perdure::benchmarks::ycsb

#endif
