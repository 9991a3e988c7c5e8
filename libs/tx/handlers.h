#ifndef PERDURE_TX_HANDLERS_H
#define PERDURE_TX_HANDLERS_H

#include <cstddef>
#include <cstdint>

#include "log/growing_array.h"
#include "tx/exception_state.h"

namespace perdure::tx {

/// Something to be done when a transaction has ended.
struct Handler {
  enum class Event : std::uint8_t { commit, abort };

  void run_after_commit() const;
  void run_after_abort() const noexcept;

  Event event;
  void* object;  ///< in a block of its own
  void (*run)(void*);
  void (*destroy)(void*);
};

/// What a transaction wants to have done when it has ended (perdure/handlers.h). The handlers, and what they allocate
/// while they are copied, lie in memory of the heap that is private to the thread and is not rolled back: the
/// transaction accesses it directly, as it does objects of exceptions.
class Handlers {
 public:
  constexpr Handlers() = default;

  /// From `begin` to `end` or `drop`, or until the attempt is rolled back.
  bool are_being_copied() const { return are_being_copied_; }

  /// Room for a handler; null when there is none.
  void* begin(ExceptionState& objects, std::size_t bytes, std::size_t alignment);
  void end(ExceptionState& objects, const Handler& handler);
  /// The copying has thrown an exception.
  void drop(void* room);

  /// For what is being copied; and for what is private to the transaction otherwise (entry/private_calls.h).
  void* allocate(ExceptionState& objects, std::size_t bytes, std::size_t alignment);

  /// \returns whether the block was one of these.
  bool free(ExceptionState& objects, void* block);

  /// How many there are; and: those that came since then stay if the transaction is rolled back.
  std::size_t blocks() const { return blocks_.size(); }
  void keep_blocks_since(ExceptionState& objects, std::size_t count);

  /// How many there were, for a part of the transaction that is undone alone.
  struct Mark {
    std::size_t handlers;
    std::size_t blocks;
  };
  Mark mark() const { return {handlers_.size(), blocks_.size()}; }
  /// What was registered since is not.
  void forget_since(const Mark& mark);
  /// Nothing refers to any block that came since.
  void free_blocks_since(const Mark& mark);

  /// Outside of transactions, some of which these may run: does what is to be done, and forgets all.
  /// \throws what a handler has thrown, after all have run.
  void run_after_commit();
  void run_after_abort() noexcept {
    if (!blocks_.empty()) [[unlikely]]
      run_all_after_abort();
  }

  /// The attempt never was.
  void forget() {
    if (!blocks_.empty()) [[unlikely]]
      free_blocks();
  }

  void release();

 private:
  void run_all_after_abort() noexcept;
  void free_blocks();

  bool are_being_copied_ = false;
  std::size_t objects_before_ = 0;  // what `begin` found
  log::GrowingArray<Handler> handlers_;
  log::GrowingArray<void*> blocks_;  // to be freed if the transaction is rolled back
};

}  // namespace perdure::tx

#endif
