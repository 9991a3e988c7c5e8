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
    if (end_ == limit_) [[unlikely]]
      grow();
    return *end_++;
  }
  void push_back(const T& value) { append() = value; }

  void pop_back() { --end_; }
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
    elements_ = static_cast<T*>(std::realloc(static_cast<void*>(elements_), capacity * sizeof(T)));
    if (elements_ == nullptr) {
      // Unlike a full pool this cannot be rolled back: there is no memory to work with.
      std::fprintf(stderr, "perdure: out of memory for the working set of a transaction (%zu bytes)\n",
                   capacity * sizeof(T));
      std::abort();
    }
    end_ = elements_ + size;
    limit_ = elements_ + capacity;
  }

  T* elements_ = nullptr;
  T* end_ = nullptr;
  T* limit_ = nullptr;
};

}  // namespace perdure::log

#endif
