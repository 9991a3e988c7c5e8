#ifndef PERDURE_LOG_QUEUED_OPERATION_H
#define PERDURE_LOG_QUEUED_OPERATION_H

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <new>

#include "abi/operation_frame.h"

namespace perdure::log {

/// What threads that run the same operation, each for itself, have to agree upon: words in the order in which the
/// operation asks for them. Whoever is first says what a word is, the others take that.
///
/// Trivially copyable, for arrays; nobody uses one while it is copied or released.
class AgreedWords {
 public:
  /// \returns 0 while nobody has said it.
  std::uint64_t find(std::size_t index) const {
    const Segment* segment = first();
    for (; segment != nullptr && index >= words_of_one; index -= words_of_one)
      segment = segment->next.load(std::memory_order_acquire);
    return segment == nullptr ? 0 : segment->words[index].load(std::memory_order_acquire);
  }

  /// \param proposed  not 0. \returns what all agree upon. Compare-and-set: a thread that is stopped here keeps nobody.
  std::uint64_t agree(std::size_t index, std::uint64_t proposed) {
    std::atomic_ref<Segment*> first(first_);
    Segment* segment = have(first);
    for (; index >= words_of_one; index -= words_of_one) segment = have(segment->next);
    std::uint64_t seen = 0;
    return segment->words[index].compare_exchange_strong(seen, proposed, std::memory_order_seq_cst) ? proposed : seen;
  }

  /// Calls `function(word)` for each that was agreed upon.
  template <class Function>
  void for_each(Function&& function) const {
    for (const Segment* segment = first(); segment != nullptr; segment = segment->next.load(std::memory_order_acquire))
      for (const auto& word : segment->words)
        if (const std::uint64_t value = word.load(std::memory_order_acquire); value != 0) function(value);
  }

  void release() {
    for (Segment* segment = first_; segment != nullptr;) {
      Segment* const next = segment->next.load(std::memory_order_relaxed);
      std::free(segment);
      segment = next;
    }
    first_ = nullptr;
  }

 private:
  static constexpr std::size_t words_of_one = 7;
  struct Segment {
    std::array<std::atomic<std::uint64_t>, words_of_one> words{};
    std::atomic<Segment*> next{nullptr};
  };

  const Segment* first() const {
    return std::atomic_ref(const_cast<Segment*&>(first_)).load(std::memory_order_acquire);
  }

  /// Of several threads that add one, the first does.
  template <class Place>
  static Segment* have(Place& place) {
    if (Segment* const segment = place.load(std::memory_order_acquire)) return segment;
    void* const memory = std::malloc(sizeof(Segment));
    if (memory == nullptr) std::abort();
    auto* const added = new (memory) Segment;
    Segment* seen = nullptr;
    if (place.compare_exchange_strong(seen, added, std::memory_order_seq_cst)) return added;
    std::free(memory);
    return seen;
  }

  Segment* first_ = nullptr;
};

/// An operation whose place in the order of all updates is decided before anybody has run it (a Node, EuroSys'20,
/// section 4). Each thread runs it in a copy of the pool, when that copy has everything that comes before, and all of
/// them come to the same end.
struct QueuedOperation {
  enum class Fate : std::uint32_t {
    open,     ///< nobody has run it yet
    made,     ///< it is a part of the order
    returned  ///< it is left out: its owner has to run it
  };

  void (*body)(void*);
  const abi::OperationFrame* frame;
  std::size_t locals;                   // where the copies of its locals begin, in bytes, among those of its batch
  std::atomic<std::uint64_t>* outcome;  // of its owner (Settlement)
  std::uint64_t pending;
  AgreedWords blocks;  // that it allocates
  AgreedWords sizes;   // of blocks, where it asks for one
  Fate fate_word;

  Fate fate() const { return std::atomic_ref(const_cast<Fate&>(fate_word)).load(std::memory_order_acquire); }
  /// \returns whether that is its fate: the first one to say so decides.
  bool decide(Fate fate) {
    Fate seen = Fate::open;
    return std::atomic_ref(fate_word).compare_exchange_strong(seen, fate, std::memory_order_seq_cst) || seen == fate;
  }
};

}  // namespace perdure::log

#endif
