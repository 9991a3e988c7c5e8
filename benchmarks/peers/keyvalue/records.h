#ifndef PERDURE_BENCHMARKS_PEERS_RECORDS_H
#define PERDURE_BENCHMARKS_PEERS_RECORDS_H

#include <array>
#include <cstdint>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "common/rooted_workload.h"
#include "store.h"
#include "ycsb/client.h"

namespace perdure::benchmarks::keyvalue {

inline RowKey record_key(Key key) { return {'r', key}; }
inline RowKey ycsb_scale_key() { return {'0', 0}; }

/// YCSB (ycsb/workload.h) over a key-value store: a record is a row, and an update writes the whole of it.
template <class Library>
class Records {
  struct Locks {
    struct alignas(64) Lock {
      std::mutex mutex;
    };
    std::array<Lock, 1024> locks;
    std::mutex& of(Key key) { return locks[key % locks.size()].mutex; }
  };

  class Transactions {
   public:
    Transactions(Store<Library>& store, Locks& locks) : store_(store), locks_(locks) {}

    ycsb::Record read(Key key) const { return *store_.template get<ycsb::Record>(record_key(key)); }

    void set(Key key, std::size_t number, const ycsb::Field& field) {
      change(key, [&](ycsb::Record& record) { record.field[number] = field; });
    }
    void increment(Key key, std::size_t number) {
      change(key, [&](ycsb::Record& record) {
        ycsb::expect_intact(record);
        record.field[number] = ycsb::Field::with(record.field[number].number + 1);
      });
    }

   private:
    template <class Change>
    void change(Key key, Change make) {
      const std::scoped_lock lock(locks_.of(key));
      ycsb::Record record = read(key);
      make(record);
      typename Store<Library>::Batch batch;
      batch.put(record_key(key), record);
      store_.commit(batch);
    }

    Store<Library>& store_;
    Locks& locks_;
  };

  /// As a hash table would be asked.
  struct Rows {
    const Store<Library>& store;
    template <class Visit>
    void for_each(Visit visit) const {
      store.template for_each<ycsb::Record>('r', visit);
    }
  };

 public:
  using Parameters = ycsb::Parameters;
  using Worker = ycsb::Client<Transactions>;

  static constexpr const char* name = "ycsb";

  Records(Pool& pool, const Parameters& parameters, std::size_t /*threads*/)
      : parameters_(parameters), store_(pool.path()) {
    const auto scale = store_.template get<ycsb::Scale>(ycsb_scale_key());
    if (!scale) return;
    is_populated_ = true;
    parameters_.scale = *scale;
    sum_ = ycsb::sum_of(Rows{store_});
  }

  const Parameters& parameters() const { return parameters_; }
  bool is_populated() const { return is_populated_; }

  void begin_population() {}
  void populate(const Share& share) {
    constexpr std::size_t batch_rows = 1000;
    for_each_batch(share, parameters_.scale.records, batch_rows, [this](std::size_t begin, std::size_t end) {
      typename Store<Library>::Batch batch;
      for (std::size_t key = begin; key < end; ++key) batch.put(record_key(key), ycsb::Record());
      store_.load(batch);
    });
  }
  void finish_population() {
    store_.settle();
    typename Store<Library>::Batch batch;
    batch.put(ycsb_scale_key(), parameters_.scale);
    store_.commit(batch);
    is_populated_ = true;
  }

  Worker worker(const Share& share) { return {Transactions(store_, locks_), parameters_, share, sum_}; }

  std::vector<std::string> violations() const {
    std::vector<std::string> found;
    ycsb::check(found, Rows{store_}, parameters_, sum_.load());
    return found;
  }

 private:
  Parameters parameters_;
  Store<Library> store_;
  Locks locks_;
  bool is_populated_ = false;
  LocalCount::Total sum_ = 0;
};

}  // namespace perdure::benchmarks::keyvalue

#endif
