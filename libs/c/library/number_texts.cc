// Clones of std::to_chars and std::from_chars of floating-point numbers, which standard libraries keep in their shared
// objects (libs/abi/provided.def). They are called on copies.
#include <algorithm>
#include <charconv>
#include <cstddef>

#include "abi/entry_points.h"
#include "c/library/private_memory.h"

namespace {

using perdure::c::PrivateMemory;

/// More digits than any number has, but for the precision that is asked for.
constexpr std::size_t most_characters = 12000;

/// \param precision  what the call asks for, or 0
template <class Print>
std::to_chars_result print(char* first, char* last, int precision, Print&& print_to) {
  PrivateMemory memory;
  const std::size_t wanted = most_characters + static_cast<std::size_t>(std::max(precision, 0));
  const std::size_t room = std::min(static_cast<std::size_t>(last - first), wanted);
  char* const text = memory.room_for<char>(room + 1);
  const std::to_chars_result result = print_to(text, text + room);
  if (result.ec != std::errc()) return {last, result.ec};
  const auto length = static_cast<std::size_t>(result.ptr - text);
  perdure_write_bytes(first, text, length);
  return {first + length, result.ec};
}

#ifndef _LIBCPP_VERSION
/// Reads as much of the text as the number may go on in: it may be the beginning of a long one.
template <class Real>
std::from_chars_result parse(const char* first, const char* last, Real& value, std::chars_format format) {
  constexpr std::ptrdiff_t first_size = 128, may_go_on = 16;
  for (std::ptrdiff_t size = std::min(last - first, first_size);; size = std::min(last - first, size * 4)) {
    PrivateMemory memory;
    const char* const copy = memory.copy(first, static_cast<std::size_t>(size));
    Real read{};
    const std::from_chars_result result = std::from_chars(copy, copy + size, read, format);
    if (size < last - first && result.ptr + may_go_on > copy + size) continue;
    if (result.ec == std::errc()) perdure::c::write_variable(&value, read);
    return {first + (result.ptr - copy), result.ec};
  }
}
#endif

}  // namespace

#ifdef _LIBCPP_VERSION
#define PERDURE_PRINT(letter) perdure_tm__ZNSt3__18to_charsEPcS0_##letter
#define PERDURE_FORMAT NS_12chars_formatE
#else
#define PERDURE_PRINT(letter) perdure_tm__ZSt8to_charsPcS_##letter
#define PERDURE_FORMAT St12chars_format
#endif
#define PERDURE_JOIN(left, right) PERDURE_JOINED(left, right)
#define PERDURE_JOINED(left, right) left##right

extern "C" {

// A macro, because symbols are made of letters for types: without a format, with one, and with a precision, too.
#define PERDURE_REAL(type, letter)                                                                              \
  std::to_chars_result PERDURE_PRINT(letter)(char* first, char* last, type value) {                             \
    return print(first, last, 0, [=](char* from, char* to) { return std::to_chars(from, to, value); });         \
  }                                                                                                             \
  std::to_chars_result PERDURE_JOIN(PERDURE_PRINT(letter), PERDURE_FORMAT)(char* first, char* last, type value, \
                                                                           std::chars_format format) {          \
    return print(first, last, 0, [=](char* from, char* to) { return std::to_chars(from, to, value, format); }); \
  }                                                                                                             \
  std::to_chars_result PERDURE_JOIN(PERDURE_JOIN(PERDURE_PRINT(letter), PERDURE_FORMAT), i)(                    \
      char* first, char* last, type value, std::chars_format format, int precision) {                           \
    return print(first, last, precision,                                                                        \
                 [=](char* from, char* to) { return std::to_chars(from, to, value, format, precision); });      \
  }
PERDURE_REAL(float, f)
PERDURE_REAL(double, d)
PERDURE_REAL(long double, e)

#ifndef _LIBCPP_VERSION
#define PERDURE_PARSE(type, letter)                                                    \
  std::from_chars_result perdure_tm__ZSt10from_charsPKcS0_R##letter##St12chars_format( \
      const char* first, const char* last, type& value, std::chars_format format) {    \
    return parse(first, last, value, format);                                          \
  }
PERDURE_PARSE(float, f)
PERDURE_PARSE(double, d)
PERDURE_PARSE(long double, e)
#endif

}  // extern "C"
