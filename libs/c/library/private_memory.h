#ifndef PERDURE_C_LIBRARY_PRIVATE_MEMORY_H
#define PERDURE_C_LIBRARY_PRIVATE_MEMORY_H

#include <cerrno>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <new>

#include "abi/entry_points.h"
#include "alloc/next_layout.h"
#include "entry/allocation.h"

/// What clones of functions of the C library need that call the function itself on copies of shared memory.
namespace perdure::c {

/// Memory for one such call; as long as it lives. A little lies in the object, so on the stack of the transaction. More
/// comes in blocks of the transaction: an abort may pass over the destructor, and frees what the transaction allocated.
/// Written directly, so not to be used in code that the plugin instruments.
class PrivateMemory {
 public:
  PrivateMemory() = default;
  PrivateMemory(const PrivateMemory&) = delete;
  PrivateMemory& operator=(const PrivateMemory&) = delete;
  ~PrivateMemory() {
    while (blocks_ != nullptr) {
      Block* const last = blocks_;
      blocks_ = last->previous;
      entry::transactional_free(last);
    }
  }

  /// \returns room for `count` objects, which holds anything. \throws std::bad_alloc
  template <class T>
  T* room_for(std::size_t count) {
    static_assert(alignof(T) <= alignment);
    std::size_t bytes = 0;
    if (__builtin_mul_overflow(count, sizeof(T), &bytes) || bytes > SIZE_MAX / 2) throw std::bad_alloc();
    return static_cast<T*>(room(bytes));
  }

  /// \returns a copy of shared memory.
  template <class T>
  T* copy(const T* from, std::size_t count) {
    T* const to = room_for<T>(count);
    perdure_read_bytes(to, from, count * sizeof(T));
    return to;
  }

 private:
  static constexpr std::size_t alignment = 16;
  static constexpr std::size_t bytes_inside = 480;
  struct alignas(alignment) Block {
    Block* previous;
  };

  void* room(std::size_t bytes) {
    if (bytes <= bytes_inside - used_) {
      void* const place = inside_ + used_;
      used_ += (bytes + alignment - 1) / alignment * alignment;
      return place;
    }
    alloc::set_next_layout(&alloc::no_pointers);
    auto* const block = static_cast<Block*>(entry::transactional_allocate(sizeof(Block) + bytes, alignment));
    if (block == nullptr) throw std::bad_alloc();
    block->previous = blocks_;
    blocks_ = block;
    return block + 1;
  }

  alignas(alignment) std::byte inside_[bytes_inside];
  std::size_t used_ = 0;
  Block* blocks_ = nullptr;
};

/// Reads a variable of any type.
template <class T>
T read_variable(const T* from) {
  T value;
  perdure_read_bytes(&value, from, sizeof(T));
  return value;
}

/// Writes a variable of any type; nothing if `to` is null.
template <class T>
void write_variable(T* to, const T& value) {
  if (to != nullptr) perdure_write_bytes(to, &value, sizeof(T));
}

/// Calls `function()`, which may set errno. The transaction may have written errno before, so it writes it again, like
/// any other variable. It is not brought back when the transaction aborts.
template <class Function>
auto setting_errno(Function&& function) {
  const int before = errno;
  errno = 0;
  const auto result = function();
  const int error = errno;
  errno = before;
  if (error != 0) write_variable(&errno, error);
  return result;
}

/// Calls `function(&copy)` for a variable that it writes, and writes the copy back unless the result is a failure.
template <class T, class Function, class IsFailure>
auto writing(T* to, Function&& function, IsFailure&& is_failure) {
  T copy{};
  const auto result = setting_errno([&] { return function(&copy); });
  if (!is_failure(result)) write_variable(to, copy);
  return result;
}

/// The same of functions that do not fail.
template <class T, class Function>
auto writing(T* to, Function&& function) {
  return writing(to, function, [](const auto&) { return false; });
}

/// The same of functions that return 0 unless they fail.
template <class T, class Function>
auto writing_if_zero(T* to, Function&& function) {
  return writing(to, function, [](const auto& result) { return result != 0; });
}

/// The same of a variable that the function reads and writes.
template <class T, class Function>
auto updating(T* variable, Function&& function) {
  T copy = read_variable(variable);
  const auto result = setting_errno([&] { return function(&copy); });
  write_variable(variable, copy);
  return result;
}

}  // namespace perdure::c

#endif
