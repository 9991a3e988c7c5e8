// Addresses of functions, tables of virtual functions and constants that transactions store (alloc/code_table.h).
#include "entry/code_addresses.h"

#include <cstddef>
#include <span>

#include "abi/entry_points.h"
#include "alloc/heap.h"
#include "alloc/missing_code.h"

namespace {

using perdure::alloc::CodeTable;
using perdure::alloc::ProgramCode;

static_assert(sizeof(PerdureCode) == sizeof(ProgramCode) &&
              offsetof(PerdureCode, bytes) == offsetof(ProgramCode, bytes));

std::span<const ProgramCode> rows_of(const PerdureCode* rows, std::size_t count) {
  return {reinterpret_cast<const ProgramCode*>(rows), count};
}

}  // namespace

void* perdure::entry::function_behind(void* function) {
  if (const auto* const missing = alloc::missing_code_at(function)) alloc::stop_at_missing_code(*missing);
  if (!pool::in_window(function) || !pool::is_code_address(function)) return function;
  const alloc::Heap* const heap = alloc::heap_of(function);
  void* const behind = heap != nullptr ? heap->codes().target_of(reinterpret_cast<std::uintptr_t>(function)) : nullptr;
  return behind != nullptr ? behind : function;
}

extern "C" {

void perdure_add_code(const PerdureCode* rows, std::size_t count) { CodeTable::add(rows_of(rows, count)); }
void perdure_remove_code(const PerdureCode* rows, std::size_t count) { CodeTable::remove(rows_of(rows, count)); }

void* perdure_code_address(void* place, void* value) {
  if (value == nullptr || !perdure::pool::in_window(place)) return value;
  // What leads to data of a pool is no code.
  if (perdure::pool::in_window(value) && !perdure::pool::is_code_address(value)) return value;
  perdure::alloc::Heap* const heap = perdure::alloc::heap_of(place);
  if (heap == nullptr) return value;  // the store itself finds out
  return reinterpret_cast<void*>(heap->codes().translate(reinterpret_cast<std::uintptr_t>(value)));
}

void* perdure_program_address(void* value) {
  if (!perdure::pool::in_window(value) || !perdure::pool::is_code_address(value)) return value;
  const perdure::alloc::Heap* const heap = perdure::alloc::heap_of(value);
  if (heap == nullptr) return value;
  return reinterpret_cast<void*>(heap->codes().in_program(reinterpret_cast<std::uintptr_t>(value)));
}

}  // extern "C"
