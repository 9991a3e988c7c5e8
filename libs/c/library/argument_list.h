#ifndef PERDURE_C_LIBRARY_ARGUMENT_LIST_H
#define PERDURE_C_LIBRARY_ARGUMENT_LIST_H

#include <array>
#include <cstdarg>
#include <cstddef>
#include <cstdint>
#include <cstring>

#include "abi/entry_points.h"
#include "c/library/private_memory.h"

namespace perdure::c {

/// System V ABI for AMD64, figure 3.34. What does not come from registers comes from memory, in words.
struct SystemVList {
  static constexpr unsigned no_more_general = 6 * 8;
  static constexpr unsigned no_more_vector = no_more_general + 8 * 16;
  unsigned general = no_more_general;
  unsigned vector = no_more_vector;
  void* memory = nullptr;
  void* registers = nullptr;
};
static_assert(sizeof(SystemVList) == sizeof(std::va_list), "argument lists are made for x86-64 only");

/// A va_list that starts at given words, for a function that is given one.
class MadeList {
 public:
  explicit MadeList(std::uint64_t* words) {
    SystemVList list;
    list.memory = words;
    std::memcpy(&list_, &list, sizeof(list));
  }
  std::va_list& list() { return list_; }

 private:
  std::va_list list_;
};

/// A private copy of the caller's va_list, whose state is left as it is: an attempt that is abandoned has used nothing.
class CopiedList {
 public:
  explicit CopiedList(std::va_list list) { perdure_read_bytes(&list_, list, sizeof(list_)); }
  std::va_list& list() { return list_; }

 private:
  std::va_list list_;
};

/// More arguments than POSIX asks for (NL_ARGMAX).
inline constexpr std::size_t most_arguments = 4096;

}  // namespace perdure::c

#endif
