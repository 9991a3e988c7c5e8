// Calls through pointers in transactions: from the function to its clone.
#include <cstdio>
#include <cstdlib>
#include <span>

#include "abi/clone_table.h"
#include "abi/entry_points.h"
#include "abi/symbol_name.h"

namespace {

using perdure::abi::clone_table;

constexpr const char* unknown_reason =
    "no file that was compiled with the plugin offers one: declare the function (or the virtual function that it "
    "overrides) [[perdure::safe]], visibly to the file that defines it, or [[perdure::pure]] if it touches no memory "
    "that "
    "transactions share";

/// There is no way on: what the function does would be neither isolated nor undone.
[[noreturn]] void refuse(const PerdureClone& row, const char* call) {
  if (row.function == nullptr)
    std::fprintf(stderr, "perdure: a transaction calls a null pointer\n  at %s\n", call);
  else
    std::fprintf(stderr,
                 "perdure: a transaction calls '%s' through a pointer, but it has no transactional clone\n  at %s\n"
                 "  because %s\n",
                 perdure::abi::name_of_function(row.function).c_str(), call,
                 row.refusal != nullptr ? row.refusal : unknown_reason);
  std::abort();
}

}  // namespace

extern "C" {

void perdure_add_clones(const PerdureClone* rows, std::size_t count) { clone_table().add(std::span(rows, count)); }
void perdure_remove_clones(const PerdureClone* rows, std::size_t count) {
  clone_table().remove(std::span(rows, count));
}

void* perdure_clone_of(void* function, const char* call) {
  const PerdureClone row = clone_table().find(function);
  if (row.clone == nullptr) [[unlikely]]
    refuse(row, call);
  return row.clone;
}

}  // extern "C"
