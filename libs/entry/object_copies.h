#ifndef PERDURE_ENTRY_OBJECT_COPIES_H
#define PERDURE_ENTRY_OBJECT_COPIES_H

#include <cstddef>
#include <cstdint>
#include <string>
#include <unordered_map>
#include <vector>

#include "abi/block_layout.h"
#include "alloc/heap.h"
#include "alloc/object_heap.h"

namespace perdure::entry {

/// Copies what an object in volatile memory reaches into a pool, in the running transaction: every object once, so that
/// what was shared is shared, and cycles are cycles (transitive persistence: “Persistent Software Transactional Memory
/// in Haskell”, ICFP'21, section 3.2). First it finds everything, and only then it allocates: what cannot be copied is
/// refused before.
///
/// A transaction may be left by a jump, past destructors: so one belongs to a thread, and begins anew each time.
class ObjectCopies {
 public:
  /// \param object  anywhere, but no part of another one.
  /// \returns the copy.
  /// \throws PoolError; std::bad_alloc.
  void* copy(const alloc::VolatileObject& object);

 private:
  struct Object : alloc::VolatileObject {
    std::byte* copy;
  };
  using Contents = std::vector<std::uint64_t>;  // words: the last one may be a part of one

  void add(const alloc::VolatileObject& object);
  alloc::VolatileObject whole(const alloc::VolatileObject& object) const;
  void find_all();
  void note(const alloc::VolatileObject& object, std::size_t offset, std::uint64_t value, bool is_pointer);
  void allocate_all();
  void write_all();
  const Object* object_around(std::uint64_t address) const;
  std::uint64_t moved(std::uint64_t address) const;
  void read(const alloc::VolatileObject& object);
  void translate_code();
  template <class Function>
  void for_each_pointer_word(const alloc::VolatileObject& object, Function&& function);
  [[noreturn]] void refuse(const alloc::VolatileObject& object, std::size_t offset, std::uint64_t value,
                           const std::string& why) const;

  alloc::Heap* heap_ = nullptr;                              // of the pool that is copied to
  std::vector<Object> objects_;                              // the first is where it began
  std::unordered_map<std::uintptr_t, std::size_t> numbers_;  // of those in the object heap, by their beginnings
  Contents contents_;                                        // of one of them
};

}  // namespace perdure::entry

#endif
