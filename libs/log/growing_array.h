#ifndef PERDURE_LOG_GROWING_ARRAY_H
#define PERDURE_LOG_GROWING_ARRAY_H

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <span>
#include <type_traits>

namespace perdure::log {

/// A vector for the inside of a transaction descriptor: trivially destructible, so that the descriptor can be a
/// `constinit` thread-local object that is reached without a guard; the memory is given back by `release()`.
template <class T>
class GrowingArray {
  static_assert(std::is_trivially_copyable_v<T>);

 public:
  constexpr GrowingArray() = default;

  /// \returns the new element, not initialised.
  T& append() {
    make_room();
    return append_within();
  }
  /// The same where it is not full.
  T& append_within() { return *end_++; }
  bool is_full() const { return end_ == limit_; }
  void make_room() {
    if (is_full()) [[unlikely]]
      grow();
  }
  void push_back(const T& value) { append() = value; }

  /// As `push_back`, for arrays that are read by `of_thread_left_behind`.
  void push_back_whole(const T& value) {
    make_room();
    *end_ = value;
    keep_order();  // an element that counts has its value
    ++end_;
  }

  /// What a forked child finds in the array of a thread that it does not have, and that may have been anywhere: of each
  /// thread's stores it has those up to some point. (The processor keeps their order, and `keep_order` the compiler.)
  std::span<const T> of_thread_left_behind() const {
    if (elements_ == nullptr) return {};
    const bool is_end_in_place = elements_ <= end_ && end_ <= limit_;
    // In the middle of `grow`, see there.
    const bool only_end_has_moved = !is_end_in_place && elements_ < limit_;
    return {elements_, only_end_has_moved ? limit_ : end_};
  }

  void pop_back() { --end_; }
  template <class Predicate>
  void remove_if(Predicate&& predicate) {
    end_ = std::remove_if(begin(), end(), predicate);
  }
  void truncate(std::size_t size) { end_ = elements_ + size; }
  void clear() { end_ = elements_; }
  bool empty() const { return end_ == elements_; }
  std::size_t size() const { return static_cast<std::size_t>(end_ - elements_); }
  T* begin() { return elements_; }
  T* end() { return end_; }
  const T* begin() const { return elements_; }
  const T* end() const { return end_; }
  T& operator[](std::size_t index) { return elements_[index]; }
  const T& operator[](std::size_t index) const { return elements_[index]; }
  T& back() { return end_[-1]; }

  void release() {
    std::free(elements_);
    elements_ = end_ = limit_ = nullptr;
  }

 private:
  /// Out of line, and saving its registers itself, so that appending needs no frame.
  [[gnu::noinline, clang::preserve_most]] void grow() {
    const std::size_t size = this->size();
    const std::size_t capacity = size == 0 ? 64 : size * 2;
    T* const old = elements_;
    auto* const grown = static_cast<T*>(std::malloc(capacity * sizeof(T)));
    if (grown == nullptr) {
      // Unlike a full pool this cannot be rolled back: there is no memory to work with.
      std::fprintf(stderr, "perdure: out of memory for the working set of a transaction (%zu bytes)\n",
                   capacity * sizeof(T));
      std::abort();
    }
    if (size != 0) std::memcpy(static_cast<void*>(grown), old, size * sizeof(T));
    // In this order, and before the old ones are freed. When only the end has moved, it is outside of the old array,
    // which is full; when the limit alone is the old one, it is outside of the new array, or not below the end.
    keep_order();
    end_ = grown + size;
    keep_order();
    elements_ = grown;
    keep_order();
    limit_ = grown + capacity;
    keep_order();
    std::free(old);
  }

  static void keep_order() { std::atomic_signal_fence(std::memory_order_seq_cst); }

  T* elements_ = nullptr;
  T* end_ = nullptr;
  T* limit_ = nullptr;
};

}  // namespace perdure::log

#endif
