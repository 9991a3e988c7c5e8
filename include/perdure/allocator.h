#ifndef PERDURE_ALLOCATOR_H
#define PERDURE_ALLOCATOR_H

#include <cstddef>
#include <new>
#include <type_traits>

#include "perdure/attributes.h"

extern "C" {
/// The pool that transactions of this thread allocate in: see perdure::PoolScope. Null when none is open.
PERDURE_PURE void* perdure_pool_of_thread();

/// Memory for an array, in the pool, or wherever `new` allocates when `pool` is null; in a transaction, a part of it.
/// \param pool  what perdure_pool_of_thread has returned.
/// \param count  of objects.
/// \param bytes  of one object.
/// \param alignment  in bytes, a power of two.
/// \throws std::bad_alloc when there is no room.
PERDURE_SAFE void* perdure_allocate_in(void* pool, std::size_t count, std::size_t bytes, std::size_t alignment);
}

namespace perdure {

/// Allocates in one pool, whichever are open: for containers that lie in a pool and grow while others are open, too.
/// With one pool, `std::allocator` does as well, since what transactions allocate comes from it.
///
/// A container keeps the pool that it was made with; that of a root is the root's. Copies of a container allocate in
/// the thread's pool. What is moved or assigned between containers of different pools is moved one by one; they must
/// not be swapped. What elements allocate themselves is theirs to say, or the container hands its pool on to them by
/// `std::scoped_allocator_adaptor<perdure::allocator<T>>`. Outside of transactions, too, memory comes from the pool; a
/// crash gives back what no root reaches.
template <class T>
class allocator {  // NOLINT(readability-identifier-naming): like the standard's
 public:
  using value_type = T;
  using is_always_equal = std::false_type;

  /// In the thread's pool; when none is open, wherever `new` allocates.
  allocator() noexcept : pool_(perdure_pool_of_thread()) {}

  template <class U>
  allocator(const allocator<U>& other) noexcept : pool_(other.pool()) {}  // NOLINT(google-explicit-constructor)

  /// Room for `count` objects. In a transaction that aborts, it is given back.
  /// \throws std::bad_alloc when there is no room.
  [[nodiscard]] T* allocate(std::size_t count) {
    return static_cast<T*>(perdure_allocate_in(pool_, count, sizeof(T), alignof(T)));
  }

  /// Frees a block that `allocate` has returned. In a transaction it takes effect when that commits.
  void deallocate(T* block, std::size_t) noexcept { ::operator delete(static_cast<void*>(block)); }

  allocator select_on_container_copy_construction() const noexcept { return allocator(); }

  /// Where the pool begins; null when none was open.
  void* pool() const noexcept { return pool_; }

 private:
  void* pool_;
};

/// What one has allocated the other may free.
template <class T, class U>
bool operator==(const allocator<T>& left, const allocator<U>& right) noexcept {
  return left.pool() == right.pool();
}
template <class T, class U>
bool operator!=(const allocator<T>& left, const allocator<U>& right) noexcept {
  return left.pool() != right.pool();
}

}  // namespace perdure

#endif
