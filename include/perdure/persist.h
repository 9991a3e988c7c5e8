#ifndef PERDURE_PERSIST_H
#define PERDURE_PERSIST_H

#include <cstddef>
#include <memory>
#include <string_view>

#include "perdure/attributes.h"
#include "perdure/pool.h"
#include "perdure/roots.h"
#include "perdure/transaction.h"

extern "C" {
/// What perdure::persist stands on, in transactions.
/// \param bytes  of the object.
/// \param alignment  in bytes, a power of two.
PERDURE_SAFE void* perdure_persist(const void* object, std::size_t bytes, std::size_t alignment);
}

namespace perdure {

/// Copies an object of ordinary memory, and all objects that it reaches by pointers, into the thread's pool, in one
/// transaction, or as a part of the one that runs. Each is copied once: what was shared is shared in the pool, and
/// cycles stay cycles. What is in the pool already stays where it is. The originals are not changed. (Transitive
/// persistence: N. Krauter et al., “Persistent Software Transactional Memory in Haskell”, ICFP'21, section 3.2.)
///
/// No constructor runs: the copies hold the same bytes, but for pointers, and for addresses of functions and of tables
/// of virtual functions. So objects must not own what is not memory, such as files, threads or locked mutexes.
///
/// What `object` reaches must have been made by `new`, or by containers with std::allocator: in files that call this
/// function, or that are compiled with -fplugin-arg-perdure-persistable. It may lie anywhere itself, but not within
/// another such object. Of an object that `new` has made all is copied: a derived class, an array. Pointers to deleted
/// objects become null. Refused is what would be lost with the process: pointers to other memory, as to variables that
/// are no constants, and to what malloc has allocated; also where a container keeps them in room that it does not use.
/// Under ThreadSanitizer, whose operators new cannot be replaced, everything is refused that `new` has made.
///
/// \returns the copy.
/// \throws PoolError (Kind::usage): something cannot be copied, or no pool is open; `std::bad_alloc` when the pool is
/// full. Both undo the transaction.
template <class T>
T* persist(const T& object) {
  return execute([&] { return static_cast<T*>(perdure_persist(std::addressof(object), sizeof(T), alignof(T))); });
}

/// The same into `pool`, as its root `name`.
/// \param name  1 to roots::max_name_length characters.
/// \throws also PoolError: Kind::root_exists when there is such a root; Kind::usage when the name is empty or too long,
/// or all roots are taken; Kind::no_such_root in a pool that is open for reading.
template <class T>
T& persist(Pool& pool, std::string_view name, const T& object) {
  return *static_cast<T*>(
      roots::make(pool.root_table(), name, roots::fingerprint_of<T>(), [&]() -> void* { return persist(object); }));
}

}  // namespace perdure

#endif
