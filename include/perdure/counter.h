#ifndef PERDURE_COUNTER_H
#define PERDURE_COUNTER_H

#include <cstdint>

#include "perdure/counting.h"

namespace perdure {

/// A number that many transactions change and few look at: how many elements there are, how much was sold. What a
/// transaction adds is added when it commits, so two that add to the same counter are not in conflict. One that looks
/// at the value is in conflict with those that add, as with a plain number.
///
/// Lies anywhere: in a pool, where it is as durable as what is around it, or in other memory. Outside of transactions
/// it is a plain number: no two threads may use it at a time. Eight bytes; overflow wraps around.
class counter {  // NOLINT(readability-identifier-naming): like the standard's numbers
 public:
  /// Zero.
  constexpr counter() = default;
  constexpr counter(std::int64_t value) : value_(value) {}  // NOLINT(google-explicit-constructor): it is a number
  /// A copy has the value that the other has, as `value()` tells it. So containers may move counters.
  counter(const counter& other) : value_(other.value()) {}
  /// Takes the value that the other has, as `value()` tells it. What was added to this one is forgotten.
  counter& operator=(const counter& other) { return *this = other.value(); }
  counter& operator=(std::int64_t value) {
    perdure_counter_forget(&value_);
    value_ = value;
    return *this;
  }
  /// Others may come to lie here in the same transaction.
  ~counter() { perdure_counter_forget(&value_); }

  /// Adds when the transaction commits.
  /// \param amount  any number. \returns the counter.
  counter& operator+=(std::int64_t amount) {
    perdure_counter_add(&value_, amount);
    return *this;
  }
  counter& operator-=(std::int64_t amount) {
    perdure_counter_add(&value_, static_cast<std::int64_t>(-static_cast<std::uint64_t>(amount)));
    return *this;
  }
  /// As `+= 1` and `-= 1`.
  counter& operator++() { return *this += 1; }
  counter& operator--() { return *this -= 1; }
  /// These give no value, since to know it would be a conflict.
  void operator++(int) { *this += 1; }
  void operator--(int) { *this -= 1; }

  /// What it is now, with what the transaction has added itself.
  std::int64_t value() const { return perdure_counter_value(&value_); }
  /// The same.
  operator std::int64_t() const { return value(); }  // NOLINT(google-explicit-constructor): it is a number

 private:
  std::int64_t value_ = 0;
};

}  // namespace perdure

#endif
