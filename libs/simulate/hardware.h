#ifndef PERDURE_SIMULATE_HARDWARE_H
#define PERDURE_SIMULATE_HARDWARE_H

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <random>
#include <set>

#include "htm/simulated.h"

namespace perdure::simulate {

/// A model of restricted transactional memory (libs/htm): what it stores is seen by nobody until it commits, at one
/// moment, since threads run one at a time. A transaction aborts, with the status that the processor gives,
/// - when another thread accesses a line that it has written, or writes one that it has read: in a transaction, by an
///   atomic operation, or in a pool (whoever asks for a line gets it);
/// - when it accesses more lines than fit, flushes a line, or gives up;
/// - by chance, as for an interrupt.
///
/// Other accesses of `body` than those by `load` and `store` are taken to be to memory of its own thread.
class HardwareModel {
 public:
  struct Limits {
    std::size_t read_lines = 4096;
    std::size_t written_lines = 512;     ///< what a first-level cache of 32 KiB holds
    unsigned accesses_an_interrupt = 0;  ///< on average; 0: there are none
  };

  struct Counts {
    std::uint64_t commits = 0;
    std::uint64_t conflicts = 0;
    std::uint64_t capacity = 0;
    std::uint64_t given_up = 0;
    std::uint64_t other = 0;
  };

  /// What the next transactions are like, and which of them are interrupted. No transaction runs.
  void start(std::uint64_t seed, const Limits& limits);
  const Counts& counts() const { return counts_; }

  // What the calling thread does in its transaction. (libs/htm/simulated.h)
  void begin();
  void commit();
  void require_unharmed() { step(); }
  bool is_unharmed() const;
  std::uint64_t load(const void* word);
  void store(void* word, std::uint64_t value);
  [[noreturn]] void abort(std::uint32_t status);

  /// The task is about to make a plain access.
  void before_access(std::size_t task, std::uintptr_t address, std::size_t bytes, bool stores) {
    if (!transactions_.empty()) [[unlikely]]
      doom_others(task, address, bytes, stores);
  }
  /// Not yet thrown: whoever flushes cannot throw. Nothing that follows becomes visible.
  void before_flush() {
    if (!transactions_.empty()) [[unlikely]]
      doom_own();
  }

 private:
  struct Transaction {
    std::set<std::uintptr_t> read;     // lines
    std::set<std::uintptr_t> written;  // lines
    std::map<std::uintptr_t, std::uint64_t> values;
    std::optional<std::uint32_t> doom;  // the status with which it aborts at its next step
  };

  Transaction& step();
  void doom_others(std::size_t task, std::uintptr_t address, std::size_t bytes, bool stores);
  void doom_own();

  Limits limits_;
  Counts counts_;
  std::mt19937_64 random_;
  std::map<std::size_t, Transaction> transactions_;  // that run, by task
};

inline HardwareModel hardware;

}  // namespace perdure::simulate

#endif
