// A runtime that finds accesses which escaped the plugin. It defers every write to a table, and looks every read up
// there, so that an access that was not instrumented sees or leaves the wrong bytes.
//
// It aborts as often as it can: the first time that the program reaches an instrumented access (an instruction, told by its
// return address), the attempt is abandoned there, and once more when the body has ended. Each time, memory must be as it
// was before.
//
// What the plugin says of blocks is held against what programs write into them (layout_check.h).
//
// With WRITES_IN_PLACE it runs the write-only flavour of clones: they read memory as it is, so writes go there at once, and
// are undone.
//
// Built without the plugin, over the same entry points and lists as the real runtime; with its string functions and with
// what it provides of the standard libraries (libs/provided).
#include <cxxabi.h>
#include <malloc.h>
#include <csetjmp>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <new>
#include <unordered_map>
#include <unordered_set>
#include <utility>
#include <vector>

#include "entry/allocation.h"
#include "entry/clone_table.h"
#include "abi/entry_points.h"
#include "entry/private_calls.h"
#include "deferred_runtime.h"
#include "layout_check.h"

// Of the C++ runtime, whose headers do not all declare them.
/// What the C++ runtime remembers of the thread's exceptions (Itanium C++ ABI, section 2.2.2); an abort in the middle of
/// handling one sets it back.
struct CxaGlobals {
  void* caught_exceptions;
  unsigned int uncaught_exceptions;
};
CxaGlobals& cxa_globals() asm("__cxa_get_globals");
int guard_acquire(std::uint64_t* guard) asm("__cxa_guard_acquire");
void guard_release(std::uint64_t* guard) asm("__cxa_guard_release");
void guard_abort(std::uint64_t* guard) asm("__cxa_guard_abort");

namespace {

constexpr std::size_t arena_bytes = std::size_t{64} << 20;
alignas(64) unsigned char arena[arena_bytes];
unsigned char snapshot[arena_bytes];
std::size_t arena_used = 0;

#ifdef WRITES_IN_PLACE
constexpr bool in_place = true;
#else
constexpr bool in_place = false;
#endif

std::unordered_map<std::uintptr_t, unsigned char> written;  // new bytes; in place, old ones
bool running = false;
std::uintptr_t stack_base = 0;
unsigned long read_calls = 0;
unsigned long write_calls = 0;
std::vector<std::pair<std::uintptr_t, std::size_t>> exceptions;
std::unordered_map<void*, void (*)(void*)> destructors;  // of exceptions that transactions have thrown
std::vector<std::pair<void*, std::vector<unsigned char>>> saved_locals;

[[noreturn]] void fail(const char* what) {
  std::fprintf(stderr, "deferred runtime: %s\n", what);
  std::abort();
}

/// In a transaction by the clone, if there is one.
void destroy(void* exception) {
  auto* const destructor = reinterpret_cast<void*>(std::exchange(destructors[exception], nullptr));
  if (destructor == nullptr) return;
  const PerdureClone row = perdure::entry::clone_table().find(destructor);
  void* const function = running && row.clone != nullptr ? row.clone : destructor;
  reinterpret_cast<void (*)(void*)>(function)(exception);
}

[[noreturn]] void fail_private() { fail("no arguments are copied here"); }

/// Frames of the transaction, and exceptions in flight, are private. In a frame of its own, which is below them all.
[[gnu::noinline]] bool is_private(std::uintptr_t address) {
  char here;
  if (address >= reinterpret_cast<std::uintptr_t>(&here) && address < stack_base) return true;
  for (const auto& [begin, size] : exceptions)
    if (address - begin < size) return true;
  return false;
}

void load(void* to, const void* from, std::size_t size) {
  ++read_calls;
  for (std::size_t i = 0; i < size; ++i) {
    const auto address = reinterpret_cast<std::uintptr_t>(from) + i;
    const auto entry = in_place || is_private(address) ? written.end() : written.find(address);
    static_cast<unsigned char*>(to)[i] =
        entry != written.end() ? entry->second : *reinterpret_cast<const unsigned char*>(address);
  }
}

void store(void* to, const void* from, std::size_t size) {
  if (!running) fail("a write outside of a transaction");
  ++write_calls;
  for (std::size_t i = 0; i < size; ++i) {
    const auto address = reinterpret_cast<std::uintptr_t>(to) + i;
    const unsigned char byte = static_cast<const unsigned char*>(from)[i];
    auto& target = *reinterpret_cast<unsigned char*>(address);
    if (in_place && !is_private(address)) written.try_emplace(address, target);
    if (in_place || is_private(address))
      target = byte;
    else
      written[address] = byte;
  }
}

template <class T>
void require_alignment(const T* address) {
  if (reinterpret_cast<std::uintptr_t>(address) % sizeof(T) != 0) fail("an access that is not naturally aligned");
}

template <class T>
T read(T const* address) {
  require_alignment(address);
  T value;
  load(&value, address, sizeof(T));
  return value;
}

template <class T>
void write(T* address, T value) {
  require_alignment(address);
  store(address, &value, sizeof(T));
}

deferred_runtime::LayoutCheck layouts;

void* allocate(std::size_t bytes) {
  arena_used = (arena_used + 63) / 64 * 64;
  if (arena_used + bytes > arena_bytes) throw std::bad_alloc();
  void* const block = arena + arena_used;
  arena_used += bytes;
  layouts.add(static_cast<unsigned char*>(block), bytes);
  return block;
}

/// What the transaction writes directly it must not write by way of an entry point.
void check_saved_locals() {
  for (const auto& [local, bytes] : saved_locals)
    for (std::size_t i = 0; i < bytes.size(); ++i)
      if (written.contains(reinterpret_cast<std::uintptr_t>(local) + i)) fail("a private local written indirectly");
}

/// Puts the new bytes in their places, or the old ones back.
void apply_written() {
  for (const auto& [address, byte] : written) *reinterpret_cast<unsigned char*>(address) = byte;
}

/// What an attempt starts with.
struct Start {
  std::jmp_buf point;
  std::size_t arena_used;
  CxaGlobals globals;
};
Start start;
std::unordered_set<void*> aborted_at;
unsigned long aborts = 0;

/// The program has come to the access that returns to `place`.
void reach(void* place) {
  if (running && aborted_at.insert(place).second) std::longjmp(start.point, 1);
}

void begin_attempt() {
  running = true;
  written.clear();
  exceptions.clear();
  saved_locals.clear();
}

void drop_attempt() {
  running = false;
  layouts.drop_from(arena + start.arena_used);
  ++aborts;
  if (in_place) apply_written();
  if (std::memcmp(snapshot, arena, start.arena_used) != 0)
    fail("shared memory was changed by an attempt that did not commit");
  for (const auto& [local, bytes] : saved_locals) std::memcpy(local, bytes.data(), bytes.size());
  // What the attempt allocated it may have written directly.
  std::memset(arena + start.arena_used, 0, arena_used - start.arena_used);
  arena_used = start.arena_used;
  cxa_globals() = start.globals;
}

}  // namespace

namespace deferred_runtime {

void LayoutCheck::fail(const char* what) { ::fail(what); }

unsigned long reads() { return read_calls; }
unsigned long writes() { return write_calls; }
unsigned long aborted_attempts() { return aborts; }
unsigned long known_layouts() { return layouts.count(); }

}  // namespace deferred_runtime

extern "C" {

#define PERDURE_TYPE(suffix, type)                          \
  type perdure_read_##suffix(type const* address) {         \
    reach(__builtin_return_address(0));                     \
    return read(address);                                   \
  }                                                         \
  void perdure_write_##suffix(type* address, type value) {  \
    reach(__builtin_return_address(0));                     \
    write(address, value);                                  \
  }
#include "abi/types.def"

void perdure_read_bytes(void* to, const void* from, std::size_t size) {
  reach(__builtin_return_address(0)); load(to, from, size); }
void perdure_write_bytes(void* to, const void* from, std::size_t size) {
  reach(__builtin_return_address(0)); store(to, from, size); }

void* perdure_memmove(void* to, const void* from, std::size_t size) {
  reach(__builtin_return_address(0));
  std::vector<unsigned char> copy(size);
  load(copy.data(), from, size);
  store(to, copy.data(), size);
  return to;
}

void* perdure_memcpy(void* to, const void* from, std::size_t size) {
  reach(__builtin_return_address(0)); return perdure_memmove(to, from, size); }

void* perdure_memset(void* to, int byte, std::size_t size) {
  reach(__builtin_return_address(0));
  const std::vector<unsigned char> bytes(size, static_cast<unsigned char>(byte));
  store(to, bytes.data(), size);
  return to;
}

__attribute__((noinline)) void perdure_run(void (*body)(void*), void* closure) {
  stack_base = reinterpret_cast<std::uintptr_t>(__builtin_frame_address(0));
  start.arena_used = arena_used;
  start.globals = cxa_globals();
  std::memcpy(snapshot, arena, arena_used);  // beyond, both are zero
  for (volatile bool is_last = false;;) {
    if (setjmp(start.point) != 0) {
      drop_attempt();
      continue;
    }
    begin_attempt();
    try {
      body(closure);
    } catch (...) {
      running = false;  // what the exception destroys when it ends is not the transaction's
      throw;
    }
    if (is_last) break;
    is_last = true;
    drop_attempt();
  }
  running = false;
  check_saved_locals();
  if (!in_place) apply_written();
  layouts.check_all(arena, arena_bytes);
}

const void* perdure_choose_flavour(const void* full, const void* write_only) { return in_place ? write_only : full; }

// The arena stands for pools.
void* perdure_encode_pointer(void* value, void* place) {
  const auto position = reinterpret_cast<std::uintptr_t>(place);
  if (value == nullptr || position - reinterpret_cast<std::uintptr_t>(arena) >= arena_bytes) return value;
  return reinterpret_cast<void*>(reinterpret_cast<std::uintptr_t>(value) - position - 1);
}
void* perdure_decode_pointer(void* stored, void* place) {
  const auto position = reinterpret_cast<std::uintptr_t>(place);
  if (stored == nullptr || position - reinterpret_cast<std::uintptr_t>(arena) >= arena_bytes) return stored;
  return reinterpret_cast<void*>(reinterpret_cast<std::uintptr_t>(stored) + position + 1);
}
void perdure_use_self_relative_pointers() {}

// Checks find nothing here.
void perdure_check_access(const void*, std::size_t, const char*) {}
void perdure_check_pointer(void*, const void*, const char*) {}
void perdure_check_word(void*, std::uint64_t) {}
void perdure_check_linked(const void*, const void*) {}
void* perdure_check_free(void* block, const char*) { return block; }
void perdure_run_checked(void (*body)(void*), void* closure) { perdure_run(body, closure); }
void perdure_free(void* block) { std::free(block); }
void* perdure_realloc(void* block, std::size_t bytes) { return std::realloc(block, bytes); }
// What is called privately here are facets of the library, which do not change.
void perdure_private_at(const char*) {}
void perdure_private_of_library(const void*) {}
void perdure_private_begin() {}
void perdure_private_end() {}
void perdure_private_unwind() {}
void perdure_private_done() {}
void perdure_private_object(const void*, std::int32_t) { fail_private(); }
void perdure_private_resource(const void*) { fail_private(); }
void perdure_private_unless_null(const void*) { fail_private(); }
const void* perdure_private_locale(const void*) { fail_private(); }
void* perdure_private_text(void*, std::int32_t) { fail_private(); }
const void* perdure_private_view(const void*, std::int32_t) { fail_private(); }
const void* perdure_private_c_string(const void*, std::int32_t) { fail_private(); }
const void* perdure_private_bytes(const void*, std::int64_t) { fail_private(); }
void* perdure_private_original(void*) { fail_private(); }
void perdure_private_assign_text(void*, const void*, std::int32_t) { fail_private(); }
void perdure_private_return_text(void*, void*, std::int32_t) { fail_private(); }
void perdure_become_serial() { fail("no transaction is serial here"); }

void perdure_written_directly(void* block) {
  if (!running) fail("a block that is written outside of a transaction");
  const auto* const begin = static_cast<unsigned char*>(block);
  if (begin < arena + start.arena_used || begin >= arena + arena_used) fail("a block that the transaction has not allocated");
}

void perdure_set_block_layout(perdure::alloc::BlockLayout* layout) {
  layouts.announce(layout);
}

void perdure_save_local(void* local, std::size_t size) {
  if (!running) fail("a local that is saved outside of a transaction");
  if (is_private(reinterpret_cast<std::uintptr_t>(local))) return;
  const auto* const begin = static_cast<unsigned char*>(local);
  saved_locals.push_back({local, {begin, begin + size}});
}

int perdure_guard_acquire(std::uint64_t* guard) {
  reach(__builtin_return_address(0));
  return guard_acquire(guard);
}
void perdure_guard_release(std::uint64_t* guard) {
  guard_release(guard);
}
void perdure_guard_abort(std::uint64_t* guard) {
  guard_abort(guard);
}

void* perdure_tm_malloc(std::size_t bytes) {
  layouts.take(bytes);
  reach(__builtin_return_address(0)); return allocate(bytes); }
void* perdure_tm_calloc(std::size_t count, std::size_t bytes) {
  layouts.take(count * bytes);
  return perdure_memset(allocate(count * bytes), 0, count * bytes);
}
void* perdure_tm_realloc(void* block, std::size_t bytes) {
  void* const moved = allocate(bytes);
  return block != nullptr ? perdure_memcpy(moved, block, bytes) : moved;
}
void* perdure_tm_aligned_alloc(std::size_t, std::size_t bytes) {
  layouts.take(bytes);
  return allocate(bytes);
}
void perdure_tm_free(void*) {}
void* perdure_tm__Znwm(std::size_t bytes) {
  layouts.take(bytes);
  reach(__builtin_return_address(0)); return allocate(bytes); }
void* perdure_tm__Znam(std::size_t bytes) {
  layouts.take(bytes);
  reach(__builtin_return_address(0)); return allocate(bytes); }
void perdure_tm__ZdlPv(void*) {}
void perdure_tm__ZdaPv(void*) {}
void perdure_tm__ZdlPvm(void*, std::size_t) {}
void perdure_tm__ZdaPvm(void*, std::size_t) {}
void* perdure_tm__ZnwmSt11align_val_t(std::size_t bytes, std::align_val_t) {
  layouts.take(bytes);
  return allocate(bytes);
}
void perdure_tm__ZdlPvSt11align_val_t(void*, std::align_val_t) {}
void perdure_tm__ZdlPvmSt11align_val_t(void*, std::size_t, std::align_val_t) {}

// It has no pools.
void perdure_add_code(const PerdureCode*, std::size_t) {}
void perdure_remove_code(const PerdureCode*, std::size_t) {}
void* perdure_code_address(void*, void* value) { return value; }
void* perdure_program_address(void* value) { return value; }
void perdure_copied_pointers(void*, const void*, std::uint64_t) {}

void* perdure_tm___cxa_allocate_exception(std::size_t bytes) noexcept {
  reach(__builtin_return_address(0));
  void* const exception = __cxxabiv1::__cxa_allocate_exception(bytes);
  exceptions.emplace_back(reinterpret_cast<std::uintptr_t>(exception), bytes);
  return exception;
}

void perdure_tm___cxa_free_exception(void* exception) noexcept { __cxxabiv1::__cxa_free_exception(exception); }
void perdure_tm___cxa_throw(void* exception, std::type_info* type, void (*destructor)(void*)) {
  destructors[exception] = destructor;
  __cxxabiv1::__cxa_throw(exception, type, destroy);
}
}

// For the runtime's own libs/c/text_copy.h. Its blocks are private, and written directly.
namespace perdure::entry {

void* transactional_allocate(std::size_t bytes, std::size_t) { return std::malloc(bytes); }
void transactional_free(void* block) { std::free(block); }
std::size_t transactional_size(void* block) { return malloc_usable_size(block); }
std::size_t use_whole_block(void* block) { return malloc_usable_size(block); }
void forget_unloaded_code() {}
bool dies_with_transaction(const void*) { return true; }

bool is_in_serial_transaction() { return false; }
void* function_behind(void* function) { return function; }

// For libs/c/library/ending.cc: nothing is rolled back before the program ends.
bool is_in_transaction() { return false; }

}  // namespace perdure::entry

namespace perdure::tx {

[[noreturn]] void end_program(void (*)(int), int) { std::abort(); }

}  // namespace perdure::tx
