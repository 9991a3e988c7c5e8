#include "entry/private_calls.h"

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <memory_resource>
#include <new>
#include <string>
#include <string_view>
#include <typeinfo>

#include "abi/entry_points.h"
#include "entry/allocation.h"
#include "entry/locale_caches.h"
#include "pool/window.h"
#include "tx/abort.h"
#include "tx/handlers.h"

namespace {

namespace runtime = perdure::entry;

/// A copy of an argument, in a private block; what is copied lies behind it.
struct Copy {
  Copy* previous;
  const void* original;
  std::size_t bytes;
  void (*destroy)(void*);

  void* content() { return this + 1; }
};
static_assert(sizeof(Copy) % alignof(std::max_align_t) == 0);

/// Of the call that this thread makes or prepares.
struct Call {
  const char* place = nullptr;
  Copy* copies = nullptr;
  std::size_t blocks_before = 0;
  bool allocates_for_others = false;  // not for private objects
};
thread_local constinit Call current;

void* private_block(std::size_t bytes, std::size_t alignment = alignof(std::max_align_t)) {
  perdure_set_result(&perdure::tx::checkpoint, perdure::tx::has_handlers);
  return runtime::transactional_handlers().allocate(runtime::transactional_exceptions(), bytes, alignment);
}

Copy& make_copy(const void* original, std::size_t bytes) {
  void* const block = private_block(sizeof(Copy) + bytes);
  if (block == nullptr) throw std::bad_alloc();
  current.copies = new (block) Copy{current.copies, original, bytes, nullptr};
  return *current.copies;
}

const void* copy_bytes(const void* from, std::size_t bytes) {
  Copy& copy = make_copy(from, bytes);
  perdure_read_bytes(copy.content(), from, bytes);
  return copy.content();
}

bool is_private(const void* address) { return runtime::dies_with_transaction(address); }

/// A string or a view that lies anywhere, as it is now.
template <class Text>
class Shared {
 public:
  explicit Shared(const void* text) { perdure_read_bytes(bytes_, text, sizeof(Text)); }
  const Text& operator*() const { return *reinterpret_cast<const Text*>(bytes_); }

 private:
  alignas(Text) std::byte bytes_[sizeof(Text)];
};

template <class Char>
void* copy_text(void* from) {
  using Text = std::basic_string<Char>;
  const Shared<Text> shared(from);
  const auto* const data = (*shared).data();
  const std::size_t size = (*shared).size();
  if (is_private(from) && is_private(data)) return from;
  Copy& copy = make_copy(from, sizeof(Text));
  Text* const text = runtime::call_privately([&] {
    Text* const empty = new (copy.content()) Text;
    copy.destroy = [](void* object) { static_cast<Text*>(object)->~Text(); };
    empty->resize(size);
    return empty;
  });
  perdure_read_bytes(text->data(), data, size * sizeof(Char));
  return text;
}

template <class Char>
const void* copy_view(const void* from) {
  using View = std::basic_string_view<Char>;
  const Shared<View> shared(from);
  const auto* const characters = static_cast<const Char*>(
      perdure_private_bytes((*shared).data(), static_cast<std::int64_t>((*shared).size() * sizeof(Char))));
  return new (make_copy(from, sizeof(View)).content()) View(characters, (*shared).size());
}

template <class Char>
std::size_t shared_length(const Char* text) {
  std::size_t length = 0;
  for (Char character = 1; character != 0; ++length) perdure_read_bytes(&character, text + length, sizeof(Char));
  return length;  // with the zero
}

bool is_allocated_here(const void* address) {
  struct Search {
    const void* address;
    bool found;
  } search = {address, false};
  runtime::for_each_allocated(
      [](void* block, std::size_t bytes, void* context) {
        auto& wanted = *static_cast<Search*>(context);
        const auto offset = reinterpret_cast<std::uintptr_t>(wanted.address) - reinterpret_cast<std::uintptr_t>(block);
        wanted.found |= offset < bytes;
      },
      &search);
  return search.found;
}

/// Where its caches cannot be made, what is allocated for them stays.
void prepare(const std::locale& locale) {
  const auto has_caches = [&] {
    try {
      runtime::add_caches(locale);
      return true;
    } catch (...) {
      return false;
    }
  };
  if (!has_caches()) perdure_become_serial();
}

[[noreturn]] void refuse_pool_memory() {
  std::fprintf(
      stderr,
      "perdure: a transaction calls a function of a shared library on an object that lies in a pool\n  at %s\n"
      "  because what the function stores there would be neither logged nor flushed. Work on an object that is "
      "a local variable of the transaction, and copy the result.\n",
      current.place);
  std::abort();
}

// provided/any_private_texts.cc
extern "C" {
void perdure_tm_perdure_assign_text(void* to, const void* from);
void perdure_tm_perdure_construct_text(void* to, const void* from);
void perdure_tm_perdure_assign_wide_text(void* to, const void* from);
void perdure_tm_perdure_construct_wide_text(void* to, const void* from);
}

}  // namespace

namespace perdure::entry {

namespace {

/// What the runtime itself allocates meanwhile is its own.
class Pause {
 public:
  Pause() { is_calling_privately = false; }
  Pause(const Pause&) = delete;
  Pause& operator=(const Pause&) = delete;
  ~Pause() { is_calling_privately = was_on_; }

 private:
  bool was_on_ = is_calling_privately;
};

}  // namespace

void* allocate_privately(std::size_t bytes, std::size_t alignment) {
  const Pause pause;
  if (alignment < alignof(std::max_align_t)) alignment = alignof(std::max_align_t);
  if (current.allocates_for_others) return transactional_allocate(bytes, alignment);
  if (!is_in_serial_transaction()) return private_block(bytes, alignment);
  // It is called once, and what it allocates outlives the transaction where the object does.
  return std::aligned_alloc(alignment, (bytes + alignment - 1) / alignment * alignment);
}

void free_privately(void* block) {
  const Pause pause;
  if (block != nullptr && !transactional_handlers().free(transactional_exceptions(), block)) transactional_free(block);
}

bool is_of_library(const void* object) {
  const auto* const table =
      reinterpret_cast<const std::type_info* const*>(perdure_read_u64(static_cast<const std::uint64_t*>(object)));
  const std::type_info* const type = table[-1];  // Itanium C++ ABI, section 2.5.2
  if (type == nullptr) return false;
  const std::string_view name = type->name();
  return name.starts_with("St") || name.starts_with("NSt") || name.starts_with("N12_GLOBAL__N_1") ||
         name.starts_with("N9__gnu_cxx");
}

}  // namespace perdure::entry

extern "C" {

void perdure_private_at(const char* place) {
  current = {.place = place};
  prepare(std::locale());  // a stream or a regular expression takes the global one
}

void perdure_private_object(const void* object, std::int32_t only_reads) {
  if (object == nullptr) return;
  if (is_private(object)) {
    if (only_reads == 0) runtime::note_other_change(object, current.place);
    return;
  }
  perdure_become_serial();
  if (!perdure::pool::in_window(object)) return;
  if (only_reads == 0 && !is_allocated_here(object)) refuse_pool_memory();
  current.allocates_for_others = true;
}

void perdure_private_of_library(const void* object) {
  if (object != nullptr && !runtime::is_of_library(object)) perdure_become_serial();
}

void perdure_private_resource(const void* resource) {
  perdure_private_of_library(resource);
  // What it allocates may be for an object in a pool.
  if (resource == std::pmr::new_delete_resource())
    current.allocates_for_others = true;
  else if (resource != std::pmr::null_memory_resource())
    perdure_private_object(resource, 0);
}

void perdure_private_unless_null(const void* object) {
  if (object != nullptr) perdure_become_serial();
}

const void* perdure_private_locale(const void* locale) {
  const Shared<std::locale> shared(locale);
  prepare(*shared);
  return perdure_private_bytes(locale, sizeof(std::locale));
}

void* perdure_private_text(void* text, std::int32_t character_bytes) {
  return character_bytes == 1 ? copy_text<char>(text) : copy_text<wchar_t>(text);
}

const void* perdure_private_view(const void* view, std::int32_t character_bytes) {
  return character_bytes == 1 ? copy_view<char>(view) : copy_view<wchar_t>(view);
}

const void* perdure_private_c_string(const void* text, std::int32_t character_bytes) {
  if (text == nullptr || is_private(text)) return text;
  if (character_bytes == 1) return copy_bytes(text, shared_length(static_cast<const char*>(text)));
  return copy_bytes(text, shared_length(static_cast<const wchar_t*>(text)) * sizeof(wchar_t));
}

const void* perdure_private_bytes(const void* from, std::int64_t size) {
  return size <= 0 || is_private(from) ? from : copy_bytes(from, static_cast<std::size_t>(size));
}

void* perdure_private_original(void* pointer) {
  for (Copy* copy = current.copies; copy != nullptr; copy = copy->previous) {
    const auto offset = static_cast<const char*>(pointer) - static_cast<const char*>(copy->content());
    if (offset >= 0 && static_cast<std::size_t>(offset) <= copy->bytes)
      return const_cast<char*>(static_cast<const char*>(copy->original)) + offset;
  }
  return pointer;
}

void perdure_private_begin() {
  runtime::is_calling_privately = true;
  current.blocks_before = runtime::transactional_handlers().blocks();
}

void perdure_private_end() { runtime::is_calling_privately = false; }

void perdure_private_unwind() {
  perdure_private_end();
  runtime::transactional_handlers().keep_blocks_since(runtime::transactional_exceptions(), current.blocks_before);
  perdure_private_done();
}

void perdure_private_assign_text(void* text, const void* copy, std::int32_t character_bytes) {
  if (text == copy) return;
  if (character_bytes == 1)
    perdure_tm_perdure_assign_text(text, copy);
  else
    perdure_tm_perdure_assign_wide_text(text, copy);
}

void perdure_private_return_text(void* to, void* text, std::int32_t character_bytes) {
  if (character_bytes == 1) {
    perdure_tm_perdure_construct_text(to, text);
    runtime::call_privately([&] { static_cast<std::string*>(text)->~basic_string(); });
  } else {
    perdure_tm_perdure_construct_wide_text(to, text);
    runtime::call_privately([&] { static_cast<std::wstring*>(text)->~basic_string(); });
  }
}

void perdure_private_done() {
  while (current.copies != nullptr) {
    Copy* const copy = current.copies;
    current.copies = copy->previous;
    if (copy->destroy != nullptr) runtime::call_privately([&] { copy->destroy(copy->content()); });
    runtime::free_privately(copy);
  }
}

}  // extern "C"
