#ifndef PERDURE_ALLOC_RESERVED_ARRAY_H
#define PERDURE_ALLOC_RESERVED_ARRAY_H

#include <sys/mman.h>

#include <cstddef>
#include <new>

namespace perdure::alloc {

/// A volatile array with room for every superblock that a pool can ever have. Only address space is reserved; memory
/// comes page by page as elements are first written. All elements are zero at first.
template <class T>
class ReservedArray {
 public:
  explicit ReservedArray(std::size_t count) : bytes_(count * sizeof(T)) {
    void* const memory =
        mmap(nullptr, bytes_, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (memory == MAP_FAILED) throw std::bad_alloc();
    elements_ = static_cast<T*>(memory);
  }
  ReservedArray(const ReservedArray&) = delete;
  ReservedArray& operator=(const ReservedArray&) = delete;
  ~ReservedArray() { munmap(elements_, bytes_); }

  T& operator[](std::size_t index) noexcept { return elements_[index]; }
  const T& operator[](std::size_t index) const noexcept { return elements_[index]; }

  /// Gives the memory back: all elements are zero again.
  void discard() noexcept { madvise(elements_, bytes_, MADV_DONTNEED); }

 private:
  std::size_t bytes_;
  T* elements_;
};

}  // namespace perdure::alloc

#endif
