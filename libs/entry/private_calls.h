#ifndef PERDURE_ENTRY_PRIVATE_CALLS_H
#define PERDURE_ENTRY_PRIVATE_CALLS_H

#include <cstddef>
#include <cstdint>

/// Calls of functions of the C++ libraries as they are, on memory that is private to the transaction
/// (plugin/discover/private_calls.def). Private is what an abort leaves behind: the transaction's own frames, and
/// blocks that such calls have allocated. The transaction accesses both directly, so the two kinds of code agree on
/// what is there. An abort frees the blocks. Where something is not private, the transaction becomes serial: then
/// everything is where it belongs, and the call runs once.
///
/// The order of calls: at, then one for each argument, begin, the function, end or unwind, what is copied back, done.
extern "C" {

/// A call is about to be made; `place` is for messages.
void perdure_private_at(const char* place);

/// The function works on the object, or what belongs to it.
void perdure_private_object(const void* object, std::int32_t only_reads);
/// The object has virtual functions, which must be those of the library: the program's run as they are in serial
/// transactions only. Null is allowed.
void perdure_private_of_library(const void* object);
/// A memory resource, on which the function works: likewise, and private if it has a state.
void perdure_private_resource(const void* resource);
/// The object may call functions of the program.
void perdure_private_unless_null(const void* object);

/// A copy of a locale, which is one pointer, or the locale itself where it is private.
const void* perdure_private_locale(const void* locale);
/// Copies of what is perhaps shared: of a std::string or std::wstring, of a view, of characters up to a zero, of bytes.
/// Private memory is returned as it is.
void* perdure_private_text(void* text, std::int32_t character_bytes);
const void* perdure_private_view(const void* view, std::int32_t character_bytes);
const void* perdure_private_c_string(const void* text, std::int32_t character_bytes);
const void* perdure_private_bytes(const void* from, std::int64_t size);
/// What a pointer into one of the copies is in the original.
void* perdure_private_original(void* pointer);

/// From here to `end` or `unwind`, what is allocated is private, and frees are undone by an abort.
void perdure_private_begin();
void perdure_private_end();
/// An exception leaves the function. What was allocated since `begin` may belong to it, and survives an abort.
void perdure_private_unwind();

/// Copies a string back; makes what was returned a string of the transaction.
void perdure_private_assign_text(void* text, const void* copy, std::int32_t character_bytes);
void perdure_private_return_text(void* to, void* text, std::int32_t character_bytes);
/// The copies are needed no more.
void perdure_private_done();
}

namespace perdure::entry {

/// Whether this thread runs such a function. For the operators new and delete.
inline thread_local constinit bool is_calling_privately = false;

/// \returns null when there is no room.
void* allocate_privately(std::size_t bytes, std::size_t alignment);
void free_privately(void* block);

/// Calls `function()` as such a function: for what the runtime itself does with private objects. Not to be left by an
/// abort.
template <class Function>
auto call_privately(Function&& function) {
  struct Scope {
    Scope() { perdure_private_begin(); }
    ~Scope() { perdure_private_end(); }
  };
  const Scope scope;
  return function();
}

/// Whether the object's virtual functions are the library's.
bool is_of_library(const void* object);

}  // namespace perdure::entry

#endif
