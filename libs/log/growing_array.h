#ifndef PERDURE_LOG_GROWING_ARRAY_H
#define PERDURE_LOG_GROWING_ARRAY_H

#include <cstddef>
#include <cstdio>
#include <cstdlib>
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
    if (size_ == capacity_) [[unlikely]]
      grow();
    return elements_[size_++];
  }
  void push_back(const T& value) { append() = value; }

  void pop_back() { --size_; }
  void clear() { size_ = 0; }
  bool empty() const { return size_ == 0; }
  std::size_t size() const { return size_; }
  T* begin() { return elements_; }
  T* end() { return elements_ + size_; }
  const T* begin() const { return elements_; }
  const T* end() const { return elements_ + size_; }
  T& operator[](std::size_t index) { return elements_[index]; }
  const T& operator[](std::size_t index) const { return elements_[index]; }
  T& back() { return elements_[size_ - 1]; }

  void release() {
    std::free(elements_);
    elements_ = nullptr;
    size_ = capacity_ = 0;
  }

 private:
  [[gnu::noinline]] void grow() {
    capacity_ = capacity_ == 0 ? 64 : capacity_ * 2;
    elements_ = static_cast<T*>(std::realloc(static_cast<void*>(elements_), capacity_ * sizeof(T)));
    if (elements_ != nullptr) return;
    // Unlike a full pool this cannot be rolled back: there is no memory to work with.
    std::fprintf(stderr, "perdure: out of memory for the working set of a transaction (%zu bytes)\n",
                 capacity_ * sizeof(T));
    std::abort();
  }

  T* elements_ = nullptr;
  std::size_t size_ = 0;
  std::size_t capacity_ = 0;
};

}  // namespace perdure::log

#endif
