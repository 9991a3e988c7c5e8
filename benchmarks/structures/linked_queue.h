#ifndef PERDURE_BENCHMARKS_LINKED_QUEUE_H
#define PERDURE_BENCHMARKS_LINKED_QUEUE_H

#include <cstdint>
#include <string>
#include <vector>

namespace perdure::benchmarks {

/// A linked queue that numbers its items: 1, 2, 3, …
///
/// It is ordinary C++ and knows nothing of transactions.
class LinkedQueue {
 public:
  LinkedQueue() = default;
  LinkedQueue(const LinkedQueue&) = delete;
  LinkedQueue& operator=(const LinkedQueue&) = delete;
  ~LinkedQueue() {
    while (dequeue() != 0) continue;
  }

  /// Adds an item.
  void enqueue() {
    auto* item = new Item{++last_number_, nullptr};
    if (tail_ == nullptr) {
      head_ = item;
    } else {
      tail_->next = item;
    }
    tail_ = item;
  }

  /// Takes the oldest item out.
  /// \returns its number; 0 if the queue is empty.
  std::uint64_t dequeue() {
    Item* item = head_;
    if (item == nullptr) return 0;
    head_ = item->next;
    if (head_ == nullptr) tail_ = nullptr;
    const auto number = item->number;
    delete item;
    return number;
  }

  std::uint64_t size() const { return head_ == nullptr ? 0 : last_number_ + 1 - head_->number; }

  /// What is wrong, one a line: numbers left out, a tail that is not the last. Runs alone.
  std::vector<std::string> violations() const {
    const Item* last = nullptr;
    for (const Item* item = head_; item != nullptr; item = item->next) {
      if (last != nullptr && item->number != last->number + 1) return {told(last, "is not followed by the next one")};
      last = item;
    }
    if (last != tail_) return {"queue: the tail is not the last item"};
    if (last != nullptr && last->number != last_number_)
      return {told(last, "is the last item, but not the last added")};
    return {};
  }

 private:
  struct Item {
    std::uint64_t number;
    Item* next;
  };

  static std::string told(const Item* item, const std::string& what) {
    return "queue: item " + std::to_string(item->number) + " " + what;
  }

  Item* head_ = nullptr;
  Item* tail_ = nullptr;
  std::uint64_t last_number_ = 0;
};

}  // namespace perdure::benchmarks

#endif
