// Calls through pointers in transactions: from the function to its clone.
#include <cstdio>
#include <cstdlib>
#include <span>

#include "abi/entry_points.h"
#include "entry/allocation.h"
#include "entry/clone_table.h"
#include "entry/code_addresses.h"
#include "entry/symbol_name.h"

namespace {

using perdure::entry::clone_table;
using perdure::entry::serial_clone_table;

constexpr const char* unknown_reason =
    "no file that was compiled with the plugin offers one: declare the function (or the virtual function that it "
    "overrides) [[perdure::safe]], visibly to the file that defines it, or [[perdure::pure]] if it touches no memory "
    "that "
    "transactions share";

/// There is no way on, but in a serial transaction: what the function does would be neither isolated nor undone.
[[noreturn]] void refuse(const PerdureClone& row, const char* call) {
  if (row.function == nullptr)
    std::fprintf(stderr, "perdure: a transaction calls a null pointer\n  at %s\n", call);
  else
    std::fprintf(stderr,
                 "perdure: a transaction calls '%s' through a pointer, but it has no transactional clone\n  at %s\n"
                 "  because %s\n",
                 perdure::entry::name_of_function(row.function).c_str(), call,
                 row.refusal != nullptr ? row.refusal : unknown_reason);
  std::abort();
}

/// Of code addresses, which are in no table. A serial transaction may call anything: if need be, the function itself.
[[gnu::noinline, gnu::cold]] void* clone_for_others(const PerdureClone& row, const char* call) {
  void* const function = perdure::entry::function_behind(row.function);
  if (function != row.function) {
    const PerdureClone behind = clone_table().find(function);
    return behind.clone != nullptr ? behind.clone : clone_for_others(behind, call);
  }
  if (row.function == nullptr || !perdure::entry::is_in_serial_transaction()) refuse(row, call);
  const PerdureClone serial = serial_clone_table().find(row.function);
  return serial.clone != nullptr ? serial.clone : row.function;
}

}  // namespace

extern "C" {

void perdure_add_serial_clones(const PerdureClone* rows, std::size_t count) {
  serial_clone_table().add(std::span(rows, count));
}
void perdure_remove_serial_clones(const PerdureClone* rows, std::size_t count) {
  serial_clone_table().remove(std::span(rows, count));
}
void perdure_add_clones(const PerdureClone* rows, std::size_t count) { clone_table().add(std::span(rows, count)); }
void perdure_remove_clones(const PerdureClone* rows, std::size_t count) {
  clone_table().remove(std::span(rows, count));
  perdure::entry::forget_unloaded_code();
}

void* perdure_clone_of(void* function, const char* call) {
  const PerdureClone row = clone_table().find(function);
  return row.clone != nullptr ? row.clone : clone_for_others(row, call);
}

}  // extern "C"
