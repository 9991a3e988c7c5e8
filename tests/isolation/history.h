#ifndef PERDURE_TESTS_ISOLATION_HISTORY_H
#define PERDURE_TESTS_ISOLATION_HISTORY_H

#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <vector>

/// What transactions over append-only lists did and saw. (Kingsbury and Alvaro, "Elle", VLDB'20: because a read returns
/// the whole list, it tells who wrote before it, in which order, and who did not.)
namespace perdure::history {

using Key = std::uint32_t;
using Value = std::uint64_t;
using Time = std::uint64_t;

/// Of an attempt whose place in real time is not known: it is ordered before and after nobody.
inline constexpr Time unknown_begin = 0;
inline constexpr Time unknown_end = std::numeric_limits<Time>::max();

struct Operation {
  enum class Kind : std::uint8_t { append, read };
  Kind kind;
  Key key;
  std::size_t first_value;  ///< in History::values: the value appended, or the list read
  std::size_t value_count;
};

/// One run of a transaction's body. An attempt that aborted must have seen a consistent state, too, and must have left
/// no trace.
struct Attempt {
  Time begin;  ///< not later than its real begin
  Time end;    ///< not earlier than its real end
  bool committed;
  std::size_t first_operation;  ///< in History::operations
  std::size_t operation_count;
};

/// No value is appended twice, not even by two attempts of one transaction.
class History {
 public:
  void begin_attempt(Time begin) { attempts_.push_back({begin, unknown_end, false, operations_.size(), 0}); }

  void append(Key key, Value value) { add(Operation::Kind::append, key, {&value, 1}); }
  void read(Key key, std::span<const Value> list) { add(Operation::Kind::read, key, list); }

  void end_attempt(Time end, bool committed) {
    attempts_.back().end = end;
    attempts_.back().committed = committed;
  }

  /// The lists once all transactions have ended, by key.
  void set_final_lists(std::vector<std::vector<Value>> lists) { final_lists_ = std::move(lists); }

  /// Adds the attempts of another thread.
  void add(const History& other) {
    for (Attempt attempt : other.attempts_) {
      attempt.first_operation += operations_.size();
      attempts_.push_back(attempt);
    }
    for (Operation operation : other.operations_) {
      operation.first_value += values_.size();
      operations_.push_back(operation);
    }
    values_.insert(values_.end(), other.values_.begin(), other.values_.end());
  }

  std::span<const Attempt> attempts() const { return attempts_; }
  std::span<const std::vector<Value>> final_lists() const { return final_lists_; }
  std::span<const Operation> operations_of(const Attempt& attempt) const {
    return std::span(operations_).subspan(attempt.first_operation, attempt.operation_count);
  }
  std::span<const Value> values_of(const Operation& operation) const {
    return std::span(values_).subspan(operation.first_value, operation.value_count);
  }

 private:
  void add(Operation::Kind kind, Key key, std::span<const Value> values) {
    operations_.push_back({kind, key, values_.size(), values.size()});
    values_.insert(values_.end(), values.begin(), values.end());
    ++attempts_.back().operation_count;
  }

  std::vector<Attempt> attempts_;
  std::vector<Operation> operations_;
  std::vector<Value> values_;
  std::vector<std::vector<Value>> final_lists_;
};

}  // namespace perdure::history

#endif
