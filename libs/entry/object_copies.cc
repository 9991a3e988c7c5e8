#include "entry/object_copies.h"

#include <sanitizer/asan_interface.h>

#include <algorithm>
#include <mutex>
#include <new>
#include <optional>
#include <span>

#include "abi/entry_points.h"
#include "alloc/next_layout.h"
#include "alloc/object_heap.h"
#include "alloc/program_code.h"
#include "entry/allocation.h"
#include "entry/symbol_name.h"
#include "perdure/persist.h"
#include "pool/refuse.h"
#include "pool/window.h"
#include "relocate/pointer_words.h"

namespace perdure::entry {
namespace {

constexpr std::size_t word_bytes = sizeof(std::uint64_t);

/// Whether a program can have anything at an address: all else in a pointer is a mark.
constexpr bool is_address(std::uint64_t value) { return value >= 1 << 16 && value < std::uint64_t{1} << 47; }

const void* as_pointer(std::uint64_t value) { return reinterpret_cast<const void*>(value); }

bool is_in(std::uint64_t address, const std::byte* begin, std::size_t bytes) {
  return address - reinterpret_cast<std::uintptr_t>(begin) < bytes;
}

bool is_code(std::uint64_t value) {
  const std::lock_guard lock(alloc::code_mutex());
  return alloc::program_codes().at(value) != nullptr;
}

}  // namespace

void* ObjectCopies::copy(const alloc::VolatileObject& object) {
  objects_.clear();
  numbers_.clear();
  heap_ = alloc::current_heap();
  if (heap_ == nullptr) throw PoolError(PoolError::Kind::usage, "", "perdure::persist: no pool is open to copy to");
  add(whole(object));
  find_all();
  allocate_all();
  write_all();
  void* const copied = objects_.front().copy;
  *this = ObjectCopies();
  return copied;
}

/// One that `new` has made may be of a derived class, or the first of an array.
alloc::VolatileObject ObjectCopies::whole(const alloc::VolatileObject& object) const {
  const auto made = alloc::object_around(object.begin);
  if (!made) return object;
  if (made->begin != object.begin)
    refuse(object, 0, reinterpret_cast<std::uintptr_t>(object.begin),
           "it is a part of another object: copy that one, or a copy of the part");
  return *made;
}

void ObjectCopies::add(const alloc::VolatileObject& object) {
  if (alloc::in_object_range(object.begin))
    numbers_.emplace(reinterpret_cast<std::uintptr_t>(object.begin), objects_.size());
  objects_.push_back({object, nullptr});
}

void ObjectCopies::find_all() {
  for (std::size_t i = 0; i < objects_.size(); ++i) {
    const alloc::VolatileObject object = objects_[i];
    if (object.layout == nullptr)
      refuse(object, 0, reinterpret_cast<std::uintptr_t>(object.begin), "nothing tells where the pointers in it are");
    if (object.layout->word_count == 0) continue;
    read(object);
    for_each_pointer_word(object, [&](std::uint64_t& word, bool is_pointer) {
      note(object, static_cast<std::size_t>(&word - contents_.data()) * word_bytes, word, is_pointer);
    });
  }
}

void ObjectCopies::note(const alloc::VolatileObject& object, std::size_t offset, std::uint64_t value, bool is_pointer) {
  if (!is_address(value)) return;
  const Object& first = objects_.front();
  const auto found = alloc::object_around(as_pointer(value));
  if (found || is_in(value, first.begin, first.bytes)) {
    if (!is_pointer) refuse(object, offset, value, "which nothing says is a pointer, but looks like one");
    if (found && !numbers_.contains(reinterpret_cast<std::uintptr_t>(found->begin))) add(*found);
    return;
  }
  if (!is_pointer || alloc::in_object_range(as_pointer(value)) || is_code(value)) return;
  if (pool::in_window(as_pointer(value))) {
    if (alloc::heap_of(as_pointer(value)) == heap_ || pool::is_code_address(as_pointer(value))) return;
    refuse(object, offset, value, "which is in another pool");
  }
  const std::optional<std::string> name = name_of_symbol(as_pointer(value));
  refuse(object, offset, value,
         name ? "which is '" + *name + "', a part of the program"
              : std::string("where no object is that was made by new in a file compiled with "
                            "-fplugin-arg-perdure-persistable"));
}

void ObjectCopies::allocate_all() {
  for (Object& object : objects_) {
    alloc::set_next_layout(object.layout);
    void* const block = transactional_allocate(object.bytes, std::max(object.alignment, alignof(std::max_align_t)));
    if (block == nullptr) throw std::bad_alloc();
    object.copy = static_cast<std::byte*>(block);
  }
}

void ObjectCopies::write_all() {
  for (const Object& object : objects_) {
    read(object);
    translate_code();
    for_each_pointer_word(object, [&](std::uint64_t& word, bool is_pointer) {
      if (is_pointer) word = moved(word);
    });
    perdure_write_bytes(object.copy, contents_.data(), object.bytes);
  }
}

/// What a pointer is in the copies. One to an object that was deleted, as it is left behind where nothing is any more,
/// is null.
std::uint64_t ObjectCopies::moved(std::uint64_t address) const {
  const Object* const object = object_around(address);
  if (object != nullptr)
    return reinterpret_cast<std::uintptr_t>(object->copy) + (address - reinterpret_cast<std::uintptr_t>(object->begin));
  return alloc::in_object_range(as_pointer(address)) ? 0 : address;
}

const ObjectCopies::Object* ObjectCopies::object_around(std::uint64_t address) const {
  if (const auto found = alloc::object_around(as_pointer(address))) {
    const auto number = numbers_.find(reinterpret_cast<std::uintptr_t>(found->begin));
    return number == numbers_.end() ? nullptr : &objects_[number->second];
  }
  const Object& first = objects_.front();
  return is_in(address, first.begin, first.bytes) ? &first : nullptr;
}

void ObjectCopies::read(const alloc::VolatileObject& object) {
  contents_.assign((object.bytes + word_bytes - 1) / word_bytes, 0);
  // How many elements an array has is hidden from programs, as is what a container has room for.
  ASAN_UNPOISON_MEMORY_REGION(object.begin, object.bytes);
  perdure_read_bytes(contents_.data(), object.begin, object.bytes);
}

/// Addresses of tables of virtual functions, of which layouts say nothing, and of functions.
void ObjectCopies::translate_code() {
  for (std::uint64_t& word : contents_)
    if (is_address(word) && !alloc::in_object_range(as_pointer(word))) word = heap_->codes().translate(word);
}

template <class Function>
void ObjectCopies::for_each_pointer_word(const alloc::VolatileObject& object, Function&& function) {
  relocate::for_each_pointer_word(std::as_writable_bytes(std::span(contents_)).first(object.bytes), object.layout,
                                  function);
}

void ObjectCopies::refuse(const alloc::VolatileObject& object, std::size_t offset, std::uint64_t value,
                          const std::string& why) const {
  pool::refuse(PoolError::Kind::usage, heap_->mapping().path(),
               "perdure::persist cannot copy the object of " + std::to_string(object.bytes) + " bytes at " +
                   pool::spell_address(reinterpret_cast<std::uintptr_t>(object.begin)) + ": at byte " +
                   std::to_string(offset) + " it has " + pool::spell_address(value) + ", " + why);
}

namespace {
thread_local ObjectCopies copies_of_thread;
}

}  // namespace perdure::entry

extern "C" {

/// Clones call the other one.
void* perdure_persist(const void*, std::size_t, std::size_t) {
  throw perdure::PoolError(perdure::PoolError::Kind::usage, "",
                           "perdure::persist: the file that calls it was not compiled with the plugin");
}

/// Not inlined, for fibers that go on in another thread: see perdure_run.
[[gnu::noinline]] void* perdure_tm_perdure_persist(const void* object, std::size_t bytes, std::size_t alignment) {
  auto* const begin = static_cast<std::byte*>(const_cast<void*>(object));
  return perdure::entry::copies_of_thread.copy({begin, bytes, alignment, perdure::alloc::take_next_layout()});
}

}  // extern "C"
