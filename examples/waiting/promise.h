#ifndef PERDURE_EXAMPLES_WAITING_PROMISE_H
#define PERDURE_EXAMPLES_WAITING_PROMISE_H

#include <optional>

#include <perdure/perdure.h>

/// A value that is set once, and that others wait for, in this run of the program or in a later one.
template <class Value>
class Promise {
 public:
  /// \returns whether it was not set before.
  bool set(const Value& value) {
    return perdure::execute([&] {
      if (value_.has_value()) return false;
      value_ = value;
      return true;
    });
  }

  /// Waits until it is set.
  Value get() const {
    return perdure::execute([&] {
      if (!value_.has_value()) TM_RETRY;
      return *value_;
    });
  }

 private:
  std::optional<Value> value_;
};

#endif
