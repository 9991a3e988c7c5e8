#ifndef PERDURE_BENCHMARKS_YCSB_CLIENT_H
#define PERDURE_BENCHMARKS_YCSB_CLIENT_H

#include <cstdint>
#include <stdexcept>
#include <string>
#include <vector>

#include "common/local_count.h"
#include "common/random.h"
#include "common/workload.h"
#include "parameters.h"
#include "record.h"
#include "structures/key.h"
#include "zipfian.h"

namespace perdure::benchmarks::ycsb {

inline void expect_intact(const Record& record) {
  if (!record.is_intact()) throw std::logic_error("a record that was read is not as it was written");
}

/// One thread that reads records and updates a field of some.
/// \tparam Transactions  has `read(key)`, `set(key, number, field)` and `increment(key, number)`, of a field.
template <class Transactions>
class Client {
 public:
  /// \param sum  of all numbers in all fields, where updates only increment.
  Client(Transactions transactions, const Parameters& parameters, const Share& share, LocalCount::Total& sum)
      : transactions_(transactions),
        parameters_(parameters),
        keys_(parameters.scale.records),
        random_(share.seed),
        added_(sum) {}

  Outcome step() {
    const Key key = keys_.draw(random_);
    if (random_.percent(parameters_.updates))
      update(key);
    else
      expect_intact(transactions_.read(key));
    return Outcome::committed;
  }

 private:
  void update(Key key) {
    const auto number = static_cast<std::size_t>(random_.between(0, Record::fields - 1));
    if (!parameters_.modifies)
      return transactions_.set(key, number, Field::with(static_cast<std::uint32_t>(random_.next())));
    transactions_.increment(key, number);
    added_ += 1;
  }

  Transactions transactions_;
  const Parameters parameters_;
  const Zipfian keys_;
  Random random_;
  LocalCount added_;
};

/// \param records  has `for_each(visit)`.
template <class Records>
std::int64_t sum_of(const Records& records) {
  std::int64_t sum = 0;
  records.for_each([&](const Record& record) {
    for (const Field& field : record.field) sum += field.number;
  });
  return sum;
}

/// Adds what is wrong with the records.
template <class Records>
void check(std::vector<std::string>& violations, const Records& records, const Parameters& parameters,
           std::int64_t expected_sum) {
  std::uint64_t count = 0;
  std::uint64_t broken = 0;
  records.for_each([&](const Record& record) {
    ++count;
    broken += record.is_intact() ? 0 : 1;
  });
  if (count != parameters.scale.records)
    violations.push_back("there are " + std::to_string(count) + " records instead of " +
                         std::to_string(parameters.scale.records));
  if (broken != 0) violations.push_back(std::to_string(broken) + " records are not as they were written");
  if (const std::int64_t sum = sum_of(records); parameters.modifies && sum != expected_sum)
    violations.push_back("the numbers are " + std::to_string(sum) + " together, but should be " +
                         std::to_string(expected_sum));
}

}  // namespace perdure::benchmarks::ycsb

#endif
