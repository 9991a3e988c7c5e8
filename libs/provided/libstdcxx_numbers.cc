// A clone of what std::to_string makes texts of floating-point numbers with: it calls vsnprintf through a pointer,
// which has no clone because its arguments may be anything. Here they are numbers. Compiled with the plugin.
#include <cstdarg>
#include <cstddef>
#include <string>

#include "perdure/attributes.h"

namespace perdure::provided {

using Print = int (*)(char*, std::size_t, const char*, std::va_list);

namespace {

/// Reads and writes the caller's frame only. \returns the length.
PERDURE_PURE int print_with(Print print, char* text, std::size_t size, const char* format, std::va_list numbers) {
  return print(text, size, format, numbers);
}

}  // namespace

[[perdure::implements(
    "_ZN9__gnu_cxx12__to_xstringINSt7__cxx1112basic_stringIcSt11char_traitsIcESaIcEEEcEET_PFiPT0_mPKS8_"
    "P13__va_list_tagEmSB_z")]]
std::string to_xstring(Print print, std::size_t size, const char* format, ...) {
  auto* const text = static_cast<char*>(__builtin_alloca(size));
  std::va_list numbers;
  va_start(numbers, format);
  const int length = print_with(print, text, size, format, numbers);
  va_end(numbers);
  return std::string(text, text + length);
}

}  // namespace perdure::provided
