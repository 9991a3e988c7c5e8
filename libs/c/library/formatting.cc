// Clones of the functions of C that print to memory (libs/abi/c_library.def). The C library is called on copies.
#include <stdio.h>
#include <wchar.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <climits>
#include <cstdarg>
#include <cstddef>

#include "abi/entry_points.h"
#include "alloc/next_layout.h"
#include "c/library/argument_list.h"
#include "c/library/format_arguments.h"
#include "c/library/private_memory.h"
#include "c/library/text_reader.h"

extern "C" {
void* perdure_tm_malloc(std::size_t bytes);
[[noreturn]] void __chk_fail();
}

namespace {

using namespace perdure::c;

constexpr std::size_t no_bound = SIZE_MAX;

/// One call: the format and the arguments, copied.
template <class Character>
class Printing {
 public:
  Printing(const Character* format, std::va_list list)
      : list_(list), format_(copy_text(memory_, format)), arguments_(memory_, format_, list_.list()) {}

  PrivateMemory& memory() { return memory_; }

  /// Calls `print(to, size, format, list)`. errno is what the transaction has made it, for "%m".
  template <class Print>
  int call(Character* to, std::size_t size, Print&& print) {
    const int before = errno;
    errno = read_variable(&errno);
    if (!arguments_.is_possible()) errno = EOVERFLOW;
    MadeList list(arguments_.words());
    const int result = arguments_.is_possible() ? print(to, size, format_, list.list()) : -1;
    error_ = errno;
    errno = before;
    return result;
  }

  /// \returns `result` when that is final.
  int finish(int result) {
    if (result < 0)
      write_variable(&errno, error_);
    else
      arguments_.write_counts();
    return result;
  }

 private:
  PrivateMemory memory_;
  CopiedList list_;
  const Character* format_;
  FormatArguments<Character> arguments_;
  int error_ = 0;
};

/// Calls `use(text, length)` for what is printed, of which `size - 1` characters are wanted.
template <class Use>
int print_text(const char* format, std::va_list list, std::size_t size, Use&& use) {
  Printing<char> printing(format, list);
  std::array<char, 256> first;
  const int result = printing.call(first.data(), first.size(), vsnprintf);
  if (result < 0) return printing.finish(result);
  const auto length = static_cast<std::size_t>(result);
  char* text = first.data();
  if (length >= first.size() && size > first.size()) {
    text = printing.memory().room_for<char>(length + 1);
    printing.call(text, length + 1, vsnprintf);
  }
  return use(text, length) ? printing.finish(result) : -1;
}

int print(char* to, std::size_t size, const char* format, std::va_list list) {
  return print_text(format, list, size, [&](char* text, std::size_t length) {
    if (size == 0) return true;
    const std::size_t copied = std::min(length, size - 1);
    text[copied] = '\0';
    perdure_write_bytes(to, text, copied + 1);
    return true;
  });
}

/// For calls that know the size of the object: it ends the program, as outside, when there is no room.
int print_checked(char* to, std::size_t room, const char* format, std::va_list list) {
  return print_text(format, list, no_bound, [&](char* text, std::size_t length) {
    if (length >= room) __chk_fail();
    perdure_write_bytes(to, text, length + 1);
    return true;
  });
}

/// asprintf: into a block that the transaction allocates.
int print_new(char** to, const char* format, std::va_list list) {
  return print_text(format, list, no_bound, [&](char* text, std::size_t length) {
    perdure::alloc::set_next_layout(&perdure::alloc::no_pointers);
    auto* const block = static_cast<char*>(perdure_tm_malloc(length + 1));
    write_variable(to, block);
    if (block == nullptr) return false;
    perdure_write_bytes(block, text, length + 1);
    return true;
  });
}

/// vswprintf does not say how much room it needs, only that there was too little.
int print(wchar_t* to, std::size_t size, const wchar_t* format, std::va_list list) {
  Printing<wchar_t> printing(format, list);
  constexpr std::size_t first_size = 100;
  for (std::size_t room = std::min(size, first_size);; room = room > size / 4 ? size : room * 4) {
    auto* const text = printing.memory().room_for<wchar_t>(room + 1);
    std::fill_n(text, room + 1, L'\0');
    const int result = printing.call(text, room, vswprintf);
    if (result < 0 && room < size) continue;
    if (size > 0) perdure_write_bytes(to, text, std::min(wcslen(text) + 1, size) * sizeof(wchar_t));
    return printing.finish(result);
  }
}

void check_room(std::size_t size, std::size_t room) {
  if (size > room) __chk_fail();
}

}  // namespace

extern "C" {

int perdure_tm_vsnprintf(char* to, std::size_t size, const char* format, std::va_list list) {
  return print(to, size, format, list);
}
int perdure_tm_vsprintf(char* to, const char* format, std::va_list list) { return print(to, no_bound, format, list); }
int perdure_tm_vasprintf(char** to, const char* format, std::va_list list) { return print_new(to, format, list); }
int perdure_tm_vswprintf(wchar_t* to, std::size_t size, const wchar_t* format, std::va_list list) {
  return print(to, size, format, list);
}
int perdure_tm___vsnprintf_chk(char* to, std::size_t size, int, std::size_t room, const char* format,
                               std::va_list list) {
  check_room(size, room);
  return print(to, size, format, list);
}
int perdure_tm___vsprintf_chk(char* to, int, std::size_t room, const char* format, std::va_list list) {
  return print_checked(to, room, format, list);
}
int perdure_tm___vasprintf_chk(char** to, int, const char* format, std::va_list list) {
  return print_new(to, format, list);
}
int perdure_tm___vswprintf_chk(wchar_t* to, std::size_t size, int, std::size_t room, const wchar_t* format,
                               std::va_list list) {
  check_room(size, room);
  return print(to, size, format, list);
}

// A macro, because nothing else passes arguments on: the functions with "..." call those with a list.
#define PERDURE_VARIADIC(name, last, parameters, ...) \
  int perdure_tm_##name parameters {                  \
    std::va_list list;                                \
    va_start(list, last);                             \
    const int result = perdure_tm_##__VA_ARGS__;      \
    va_end(list);                                     \
    return result;                                    \
  }
PERDURE_VARIADIC(snprintf, format, (char* to, std::size_t size, const char* format, ...),
                 vsnprintf(to, size, format, list))
PERDURE_VARIADIC(sprintf, format, (char* to, const char* format, ...), vsprintf(to, format, list))
PERDURE_VARIADIC(asprintf, format, (char** to, const char* format, ...), vasprintf(to, format, list))
PERDURE_VARIADIC(swprintf, format, (wchar_t * to, std::size_t size, const wchar_t* format, ...),
                 vswprintf(to, size, format, list))
PERDURE_VARIADIC(__snprintf_chk, format,
                 (char* to, std::size_t size, int flag, std::size_t room, const char* format, ...),
                 __vsnprintf_chk(to, size, flag, room, format, list))
PERDURE_VARIADIC(__sprintf_chk, format, (char* to, int flag, std::size_t room, const char* format, ...),
                 __vsprintf_chk(to, flag, room, format, list))
PERDURE_VARIADIC(__asprintf_chk, format, (char** to, int flag, const char* format, ...),
                 __vasprintf_chk(to, flag, format, list))
PERDURE_VARIADIC(__swprintf_chk, format,
                 (wchar_t * to, std::size_t size, int flag, std::size_t room, const wchar_t* format, ...),
                 __vswprintf_chk(to, size, flag, room, format, list))

}  // extern "C"
