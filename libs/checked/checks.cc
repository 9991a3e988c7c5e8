// The checks of programs that were compiled with -fplugin-arg-perdure-checked (docs/abi.md).
#include "perdure/attributes.h"  // as of a file without the plugin
#define __PERDURE__              // no transaction begins in this file
#include "perdure/c.h"

#include <cstdint>
#include <string>
#include <type_traits>

#include "abi/entry_points.h"
#include "alloc/block_around.h"
#include "checked/check_report.h"
#include "checked/checked_transaction.h"
#include "checked/freed_blocks.h"
#include "checked/program_image.h"
#include "entry/allocation.h"
#include "pool/window.h"

namespace perdure::checked {
namespace {

std::uint64_t end_of(const alloc::Heap& heap) { return heap.mapping().superblocks() * pool::superblock_bytes; }

std::uint64_t offset_in(const alloc::Heap& heap, const void* address) {
  return static_cast<std::uint64_t>(static_cast<const std::byte*>(address) - heap.mapping().base());
}

/// Of a code address: a constant of the program can be read there.
bool stands_for_something(const alloc::Heap& heap, const void* address) {
  return !heap.codes().name_at(reinterpret_cast<std::uintptr_t>(address)).empty();
}

enum class Target : std::uint8_t { nothing, same_pool, other_pool, elsewhere };

/// Where a pointer leads that is stored at `address`, in a pool. Small numbers, and those that no address of a program
/// has, are marks.
Target target_of(const void* address, const void* value) {
  constexpr std::uintptr_t lowest = 1 << 16;
  constexpr std::uintptr_t highest = std::uintptr_t{1} << 47;
  const auto number = reinterpret_cast<std::uintptr_t>(value);
  if (number < lowest || number >= highest) return Target::nothing;
  if (!pool::in_window(value)) return is_fixed_variable(value) ? Target::nothing : Target::elsewhere;
  const alloc::Heap* const heap = alloc::heap_of(value);
  if (heap == nullptr) return Target::elsewhere;
  const bool is_in_same_pool = pool::slot_of(value) == pool::slot_of(address);
  if (pool::is_code_address(value))
    return stands_for_something(*heap, value) && is_in_same_pool ? Target::same_pool : Target::elsewhere;
  if (offset_in(*heap, value) > end_of(*heap)) return Target::elsewhere;
  return is_in_same_pool ? Target::same_pool : Target::other_pool;
}

void warn_of_other_pool(const void* address, const void* value, const char* place) {
  warn(
      {"a pool holds a pointer into another pool", place,
       "  it leads to " + describe_in_pool(value) + "\n  it lies at " + describe_in_pool(address) + "\n",
       "It is good while both pools are open. What it leads to must be reached from a root of its own pool as well, or "
       "recovery frees it."});
}

void report_closed(const void* address, const char* place) {
  report(
      {"memory of a pool that is not open is used", place, "  it is at " + describe_in_pool(address) + "\n",
       "Pointers into a pool are dead once it is closed: finish before, or open it again and start from its roots."});
}

void report_free(const void* block, const char* place, const char* first) {
  report({"a block is freed twice", place,
          (first == nullptr ? std::string() : std::string("  it was freed before at ") + first + "\n") + "  it is at " +
              describe_in_pool(block) + "\n",
          "Free it once, and then set the pointers to it to null."});
}

const char* describe(alloc::Place::Kind kind) {
  switch (kind) {
    case alloc::Place::Kind::metadata:
      return "the pool's own tables";
    case alloc::Place::Kind::log:
      return "a log of the pool";
    case alloc::Place::Kind::block:
      return "inside a block";
    case alloc::Place::Kind::free:
      return "free memory: it was freed before, or never allocated";
  }
  return "";
}

void report_bad_free(alloc::Heap& heap, const void* address, const char* place) {
  std::string lies = "beyond its end";
  if (offset_in(heap, address) < end_of(heap)) {
    const alloc::Place around = alloc::place_around(heap, address);
    lies = describe(around.kind);
    if (around.kind == alloc::Place::Kind::block)
      lies +=
          ", " + std::to_string(static_cast<const std::byte*>(address) - around.begin) + " bytes behind its beginning";
  }
  report({"something is freed that is no block of the pool", place,
          "  it is at " + describe_in_pool(address) + "\n  that is " + lies + "\n",
          "Free what new or malloc gave in a transaction, and only that."});
}

struct Question {
  const void* block;
  bool answer = false;
};

bool is_among(void (*blocks)(entry::BlockFunction, void*), const void* block) {
  Question question{block};
  blocks(
      [](void* each, std::size_t, void* asked) {
        auto& [wanted, answer] = *static_cast<Question*>(asked);
        answer |= each == wanted;
      },
      &question);
  return question.answer;
}

/// \returns whether all is well.
bool may_be_freed(void* block, const char* place) {
  alloc::Heap* const heap = alloc::heap_of(block);
  if (heap == nullptr) return report_closed(block, place), false;
  if (entry::is_in_transaction() && is_among(entry::for_each_freed, block))
    return report_free(block, place, checked_transaction().place_of_free(block)), false;
  if (entry::is_in_transaction() && is_among(entry::for_each_allocated, block)) return true;
  const char* const first = freed_blocks().place_of_free(block);
  const bool is_within = offset_in(*heap, block) < end_of(*heap);
  if (first == nullptr && is_within && heap->is_block(block) && !alloc::is_at_hand(*heap, block)) return true;
  if (entry::is_in_transaction() && !(checked_transaction().is_running() && checked_transaction().is_certain(block)))
    return true;  // nobody can tell, in a transaction that began in code that is not checked
  if (first != nullptr) return report_free(block, place, first), false;
  return report_bad_free(*heap, block, place), false;
}

/// A transaction of checked code: the body is run with what is checked around it.
template <class Result>
struct CheckedBody {
  Result (*body)(void*);
  void* closure;

  static Result run(void* self) {
    const auto [body, closure] = *static_cast<CheckedBody*>(self);
    checked_transaction().begin();
    if constexpr (std::is_void_v<Result>) {
      body(closure);
      checked_transaction().judge();
    } else {
      const Result result = body(closure);
      if (result == 0) checked_transaction().judge();
      return result;
    }
  }
};

template <void (*Run)(void (*)(void*), void*)>
void run_checked(void (*body)(void*), void* closure) {
  if (entry::is_in_transaction()) return Run(body, closure);
  CheckedBody<void> checked{body, closure};
  try {
    Run(CheckedBody<void>::run, &checked);
  } catch (...) {
    checked_transaction().end(false);
    throw;
  }
  checked_transaction().end(true);
}

template <int (*Run)(int (*)(void*), void*)>
int transaction_checked(int (*body)(void*), void* argument) {
  if (entry::is_in_transaction()) return Run(body, argument);
  CheckedBody<int> checked{body, argument};
  const int result = Run(CheckedBody<int>::run, &checked);
  checked_transaction().end(result == 0);
  return result;
}

}  // namespace
}  // namespace perdure::checked

using namespace perdure;
using namespace perdure::checked;

extern "C" {

void perdure_check_access(const void* address, std::size_t size, const char* place) {
  if (!pool::in_window(address) || size == 0) [[likely]]
    return;
  const alloc::Heap* const heap = alloc::heap_of(address);
  if (heap == nullptr) return report_closed(address, place);
  if (pool::is_code_address(address) && stands_for_something(*heap, address)) return;
  if (offset_in(*heap, address) + size > end_of(*heap))
    report({"memory beyond the end of a pool is used", place, "  it is at " + describe_in_pool(address) + "\n",
            "The pointer or the index is wrong: look where it comes from."});
}

void perdure_check_pointer(void* address, const void* value, const char* place) {
  if (!pool::in_window(address)) [[likely]]
    return;
  const Target target = target_of(address, value);
  const bool is_late = entry::is_in_transaction() && checked_transaction().is_running();
  if (target == Target::other_pool) warn_of_other_pool(address, value, place);
  if (target == Target::same_pool && is_late) checked_transaction().note_pointer(address, value);
  if (target != Target::elsewhere || (entry::is_in_transaction() && !is_late)) return;
  if (is_late)
    checked_transaction().note_volatile(address, value, place);
  else
    report_volatile_pointer(address, value, place);
}

void perdure_check_word(void* address, std::uint64_t value) {
  const auto* const pointer = reinterpret_cast<const void*>(value);
  if (pool::in_window(address) && pool::in_window(pointer) && entry::is_in_transaction() &&
      checked_transaction().is_running())
    checked_transaction().note_pointer(address, pointer);
}

void perdure_check_linked(const void* from, const void* to) {
  if (pool::in_window(from) && pool::in_window(to) && entry::is_in_transaction() && checked_transaction().is_running())
    checked_transaction().note_link(from, to);
}

void* perdure_check_free(void* block, const char* place) {
  if (!pool::in_window(block)) return block;
  if (!may_be_freed(block, place)) return nullptr;
  if (entry::is_in_transaction() && checked_transaction().is_running())
    checked_transaction().note_free(block, place);
  else if (!entry::is_in_transaction())
    freed_blocks().note_freed(block, freed_blocks().now(), place);
  return block;
}

void perdure_run_checked(void (*body)(void*), void* closure) { run_checked<perdure_run>(body, closure); }
void perdure_run_serial_checked(void (*body)(void*), void* closure) { run_checked<perdure_run_serial>(body, closure); }

int perdure_transaction_checked(int (*body)(void*), void* argument) {
  return transaction_checked<perdure_transaction>(body, argument);
}
int perdure_serial_transaction_checked(int (*body)(void*), void* argument) {
  return transaction_checked<perdure_serial_transaction>(body, argument);
}

}  // extern "C"
