#ifndef PERDURE_PROVIDED_EXCEPTION_PARTS_H
#define PERDURE_PROVIDED_EXCEPTION_PARTS_H

#include <cstring>
#include <new>

#include "entry/allocation.h"
#include "perdure/attributes.h"

/// Objects of the standard library whose functions live in its shared object, and whose contents are pointers to what
/// is private and counted: exceptions with a text, and pointers to exceptions. The object itself may be anywhere, so a
/// transaction reads and writes it; what its functions do happens to a copy in the frame, as outside of transactions.
/// When an attempt aborts, a count that a copy has added to stays too high, and the text is never freed.
namespace perdure::provided {

/// The bytes of an object, in the frame.
template <class T>
struct Parts {
  Parts() = default;

  T& object() { return *std::launder(reinterpret_cast<T*>(bytes)); }
  const T& object() const { return *std::launder(reinterpret_cast<const T*>(bytes)); }

  alignas(T) unsigned char bytes[sizeof(T)];
};

template <class T>
Parts<T> parts_of(const T& object) {
  Parts<T> parts;
  std::memcpy(parts.bytes, static_cast<const void*>(&object), sizeof(T));
  return parts;
}

template <class T>
void put(T* object, const Parts<T>& parts) {
  std::memcpy(static_cast<void*>(object), parts.bytes, sizeof(T));
}

template <class T, class... Arguments>
PERDURE_PURE void make(Parts<T>& made, const Arguments&... arguments) {
  new (made.bytes) T(arguments...);
}

template <class T>
PERDURE_PURE void make_copy(Parts<T>& made, const Parts<T>& from) {
  new (made.bytes) T(from.object());
}

template <class T>
PERDURE_PURE void destroy_parts(Parts<T>& parts) {
  parts.object().T::~T();
}

PERDURE_PURE inline bool is_gone_after_abort(const void* object) { return entry::dies_with_transaction(object); }

template <class T, class... Arguments>
void construct_with(T* object, Arguments... arguments) {
  Parts<T> made;
  make(made, arguments...);
  put(object, made);
}

template <class T>
void copy(T* object, const T& from) {
  const Parts<T> source = parts_of(from);
  Parts<T> made;
  make_copy(made, source);
  put(object, made);
}

/// An object that is there again after an abort keeps what it counts on.
template <class T>
void destroy(T* object) {
  if (!is_gone_after_abort(object)) return;
  Parts<T> parts = parts_of(*object);
  destroy_parts(parts);
}

/// By way of a base class.
template <class T>
void delete_object(T* object) {
  destroy(object);
  ::operator delete(static_cast<void*>(object), sizeof(T));
}

template <class T>
PERDURE_PURE void assign_parts(Parts<T>& to, const Parts<T>& from) {
  to.object() = from.object();
}

template <class T>
T& assign(T* object, const T& from) {
  Parts<T> parts = parts_of(*object);
  const Parts<T> source = parts_of(from);
  Parts<T> kept;
  if (!is_gone_after_abort(object)) make_copy(kept, parts);
  assign_parts(parts, source);
  put(object, parts);
  return *object;
}

}  // namespace perdure::provided

#endif
