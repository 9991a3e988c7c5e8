#ifndef PERDURE_CHECKED_CHECKED_TRANSACTION_H
#define PERDURE_CHECKED_CHECKED_TRANSACTION_H

#include <cstddef>
#include <cstdint>
#include <map>
#include <utility>
#include <vector>

namespace perdure::checked {

/// What the calling thread's transaction has done, as far as it can be judged at its end only.
///
/// A pointer to volatile memory that is replaced, or whose block is freed, before the transaction ends does no harm.
/// Nor does one in a block that the transaction has allocated and that no older block leads to: a std::map that it
/// fills for its caller has nodes in the pool that lead to their head on the stack. So the new blocks that the pool
/// will reach are looked for, by the pointers that were stored.
class CheckedTransaction {
 public:
  /// The body begins, again perhaps.
  void begin();
  /// The body has returned, and the transaction is about to commit. May abort.
  void judge();
  /// It has committed or not.
  void end(bool has_committed);

  bool is_running() const { return is_running_; }

  /// Whether what looks like a mistake with `memory` is one. A transaction may run on with what it read before another
  /// one has committed, so the first time it is aborted: the next attempt begins after all that was seen here.
  bool is_certain(const void* memory);

  /// Something that leads out of all pools was stored in one.
  void note_volatile(void* address, const void* value, const char* place) {
    volatile_.push_back({address, value, place});
  }
  /// A pointer from a pool into a pool; it counts if it is there at the end.
  void note_pointer(void* address, const void* value) { pointers_.push_back({address, value, nullptr}); }
  /// What is not seen may lead from the one to the other, or to where that leads.
  void note_link(const void* from, const void* to) { links_.emplace_back(from, to); }
  void note_free(const void* block, const char* place) { freed_.emplace_back(block, place); }

  /// Where this transaction freed the block; null when it did not (or code did that is not checked).
  const char* place_of_free(const void* block) const;

 private:
  struct Stored {
    void* address;
    const void* value;
    const char* place;
  };
  struct Block {
    std::size_t bytes;
    bool is_reached = false;
  };
  using Blocks = std::map<const std::byte*, Block>;

  static bool is_there(const Stored& stored);
  static Block* find(Blocks& blocks, const void* address);
  void find_reached();
  bool reach(const void* from, const void* to);
  bool does_harm(const Stored& stored);

  bool is_running_ = false;
  std::uint64_t ended_at_ = 0;
  std::vector<Stored> volatile_, pointers_;
  std::vector<std::pair<const void*, const void*>> links_;
  std::vector<std::pair<const void*, const char*>> freed_;
  std::vector<const void*> suspects_;  // of all attempts
  Blocks new_blocks_, freed_blocks_;   // at the end
};

CheckedTransaction& checked_transaction();

/// Says that a pointer to volatile memory is in a pool, at its end or where it was stored.
void report_volatile_pointer(const void* address, const void* value, const char* place);

}  // namespace perdure::checked

#endif
