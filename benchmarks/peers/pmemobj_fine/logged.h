#ifndef PERDURE_BENCHMARKS_PEERS_PMEMOBJ_FINE_LOGGED_H
#define PERDURE_BENCHMARKS_PEERS_PMEMOBJ_FINE_LOGGED_H

#include "fine_transaction.h"

namespace perdure::peers {

/// A value in the pool that adds itself to the running transaction before it changes, like libpmemobj-cpp's `p`.
template <class T>
class Logged {
 public:
  constexpr Logged() = default;
  explicit constexpr Logged(const T& value) : value_(value) {}
  constexpr Logged(const Logged&) = default;
  ~Logged() = default;

  Logged& operator=(const T& value) {
    FineTransaction::current().set(value_, value);
    return *this;
  }
  Logged& operator=(const Logged& other) { return *this = other.value_; }

  const T& get() const { return value_; }
  operator const T&() const { return value_; }  // NOLINT(google-explicit-constructor): in the place of a T

 private:
  T value_{};
};

}  // namespace perdure::peers

#endif
