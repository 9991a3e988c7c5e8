#ifndef PERDURE_TESTS_TX_BY_HAND_H
#define PERDURE_TESTS_TX_BY_HAND_H

#include <gtest/gtest.h>
#include <unistd.h>

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>

#include "abi/entry_points.h"
#include "abi/operation_frame.h"
#include "entry/allocation.h"
#include "perdure/pool.h"
#include "perdure/statistics.h"
#include "persist/instance.h"
#include "sched/thread_registry.h"
#include "sync/clock.h"
#include "tx/abort.h"

/// Transactions written as the plugin would: by calls to the entry points. What the compiler does is so kept out of the
/// tests of the runtime.
namespace perdure::by_hand {

template <class Body>
void transact(Body&& body) {
  perdure_run([](void* closure) { (*static_cast<std::remove_reference_t<Body>*>(closure))(); }, &body);
}

template <class Body>
void transact_serially(Body&& body) {
  perdure_run_serial([](void* closure) { (*static_cast<std::remove_reference_t<Body>*>(closure))(); }, &body);
}

/// The same for a block that other threads may run, on copies of it.
template <class Block>
void transact_portably(Block& block) {
  struct Frame {
    abi::OperationFrame head{.local_count = 1, .pointer_count = 0, .may_throw = 1, .reserved = 0};
    abi::CapturedLocal closure{.bytes = sizeof(Block), .alignment = alignof(Block), .is_written = 1};
  };
  static constexpr Frame frame;
  perdure_run_operation([](void* closure) { (*static_cast<Block*>(closure))(); }, &block, &frame.head);
}

inline std::uint64_t read(const std::uint64_t& from) { return perdure_read_u64(&from); }
inline void write(std::uint64_t& to, std::uint64_t value) { perdure_write_u64(&to, value); }

/// Has the transaction rolled back and run again.
[[noreturn]] inline void force_abort() { tx::abort(tx::CommitResult::validation); }

/// Whether the library is one of this mode ("ip"), with no switch turned over.
inline bool mode_is(std::string_view mode) { return mode == instance.facts.mode && !instance.facts.variant; }

/// Whether the library is one of this algorithm ("orec_lazy").
inline bool algorithm_is(std::string_view algorithm) { return algorithm == instance.facts.algorithm; }

/// Whether transactions change memory in place and keep undo logs.
inline bool is_eager() { return instance.facts.undo_log; }

/// Whether transactions change a second copy of memory.
inline bool has_replicas() { return instance.facts.replicas; }

/// Whether a commit waits until no record up to its own can be replayed (log::wait_until_retired).
inline bool waits_for_retirement() { return instance.waits_for_retirement; }

/// Whether a transaction may run on for a while after a conflicting one has committed.
inline bool has_doomed_readers() { return instance.facts.doomed_readers; }

inline std::uint64_t* allocate_words(std::size_t count) {
  return static_cast<std::uint64_t*>(entry::transactional_allocate(count * sizeof(std::uint64_t), 16));
}

/// Stands for a thread that has committed, released its locks and been delayed before its data was flushed.
class DelayedCommitter {
 public:
  explicit DelayedCommitter(std::uint64_t commit_timestamp) : slot_(sched::thread_registry.acquire()) {
    slot_.unretired_since.store(commit_timestamp);
  }
  DelayedCommitter(const DelayedCommitter&) = delete;
  DelayedCommitter& operator=(const DelayedCommitter&) = delete;
  ~DelayedCommitter() { sched::thread_registry.release(slot_); }

 private:
  sched::ThreadSlot& slot_;
};

/// A pool that goes with the object.
class TemporaryPool {
 public:
  explicit TemporaryPool(const std::string& name = "another") : path_(path(name)), pool_(open()) {}
  TemporaryPool(const TemporaryPool&) = delete;
  TemporaryPool& operator=(const TemporaryPool&) = delete;
  ~TemporaryPool() {
    pool_.close();
    std::filesystem::remove(path_);
  }

  Pool& pool() { return pool_; }
  const Pool& pool() const { return pool_; }

  void reopen(const OpenOptions& options) {
    pool_.close();
    pool_ = Pool::open(path_, options);
  }

 private:
  Pool open() const { return Pool::open(path_, {.accept_volatile = true}); }

  /// In memory where there is such a directory: on a busy disk a page fault can take longer than a test.
  static std::filesystem::path path(const std::string& name) {
    const std::filesystem::path memory = "/dev/shm";
    return (std::filesystem::is_directory(memory) ? memory : std::filesystem::temp_directory_path()) /
           ("perdure_by_hand_" + name + "_" + std::to_string(getpid()) + ".pool");
  }

  std::filesystem::path path_;
  Pool pool_;
};

/// A test with a pool of its own.
class PoolTest : public ::testing::Test {
 protected:
  Pool& pool() { return pool_.pool(); }
  void reopen(const OpenOptions& options) { pool_.reopen(options); }

  /// Zeroed words in the pool, in lines of their own.
  std::uint64_t* words(std::size_t count) {
    std::uint64_t* result = nullptr;
    transact([&] {
      auto* const block = allocate_words(count + 16);
      perdure_memset(block, 0, (count + 16) * sizeof(std::uint64_t));
      result = reinterpret_cast<std::uint64_t*>((reinterpret_cast<std::uintptr_t>(block) + 63) & ~std::uintptr_t{63});
    });
    return result;
  }

 private:
  TemporaryPool pool_{"test"};
};

}  // namespace perdure::by_hand

#endif
