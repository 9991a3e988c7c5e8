// Clones of the functions of C between text and numbers, and of those of <math.h> and <fenv.h> that read or write
// memory (libs/abi/c_library.def). The C library is called on copies.
#include <fenv.h>
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <wchar.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>

#include "abi/entry_points.h"
#include "c/library/parse_number.h"
#include "c/library/private_memory.h"
#include "c/library/text_reader.h"

namespace {

using namespace perdure::c;

template <class Integer, class Character, class Parse>
Integer parse_integer(const Character* text, Character** end, int base, Parse&& parse) {
  return parse_number(text, end, [=](const Character* from, Character** to) { return parse(from, to, base); });
}

template <class Parse>
auto parse_text(const char* text, Parse&& parse) {
  return parse_number<char>(text, nullptr, [&](const char* from, char**) { return parse(from); });
}

/// strfromd and the others.
template <class Real, class Print>
int print_number(char* to, std::size_t size, const char* format, Real value, Print&& print) {
  PrivateMemory memory;
  const char* const copy = copy_text(memory, format);
  const int length = print(nullptr, 0, copy, value);
  if (length < 0 || size == 0) return length;
  auto* const text = memory.room_for<char>(static_cast<std::size_t>(length) + 1);
  print(text, static_cast<std::size_t>(length) + 1, copy, value);
  const std::size_t copied = std::min(static_cast<std::size_t>(length), size - 1);
  text[copied] = '\0';
  perdure_write_bytes(to, text, copied + 1);
  return length;
}

}  // namespace

extern "C" {

// The names that C23 gives these functions in glibc, where they know binary numbers ("0b1"); null where there are none.
#define PERDURE_C23(type, name, character) [[gnu::weak]] type __isoc23_##name(const character*, character**, int);
PERDURE_C23(long, strtol, char)
PERDURE_C23(long long, strtoll, char)
PERDURE_C23(unsigned long, strtoul, char)
PERDURE_C23(unsigned long long, strtoull, char)
PERDURE_C23(intmax_t, strtoimax, char)
PERDURE_C23(uintmax_t, strtoumax, char)
PERDURE_C23(long, wcstol, wchar_t)
PERDURE_C23(long long, wcstoll, wchar_t)
PERDURE_C23(unsigned long, wcstoul, wchar_t)
PERDURE_C23(unsigned long long, wcstoull, wchar_t)
PERDURE_C23(intmax_t, wcstoimax, wchar_t)
PERDURE_C23(uintmax_t, wcstoumax, wchar_t)

// A macro, because the names are those of C: each function under both its names.
#define PERDURE_INTEGER(type, name, character)                                                          \
  type perdure_tm_##name(const character* text, character** end, int base) {                            \
    type (*const plain)(const character*, character**, int) = name;                                     \
    return parse_integer<type>(text, end, base, plain);                                                 \
  }                                                                                                     \
  type perdure_tm___isoc23_##name(const character* text, character** end, int base) {                   \
    type (*const plain)(const character*, character**, int) = name;                                     \
    return parse_integer<type>(text, end, base, &__isoc23_##name != nullptr ? __isoc23_##name : plain); \
  }
PERDURE_INTEGER(long, strtol, char)
PERDURE_INTEGER(long long, strtoll, char)
PERDURE_INTEGER(unsigned long, strtoul, char)
PERDURE_INTEGER(unsigned long long, strtoull, char)
PERDURE_INTEGER(intmax_t, strtoimax, char)
PERDURE_INTEGER(uintmax_t, strtoumax, char)
PERDURE_INTEGER(long, wcstol, wchar_t)
PERDURE_INTEGER(long long, wcstoll, wchar_t)
PERDURE_INTEGER(unsigned long, wcstoul, wchar_t)
PERDURE_INTEGER(unsigned long long, wcstoull, wchar_t)
PERDURE_INTEGER(intmax_t, wcstoimax, wchar_t)
PERDURE_INTEGER(uintmax_t, wcstoumax, wchar_t)

#define PERDURE_REAL(type, name, character) \
  type perdure_tm_##name(const character* text, character** end) { return parse_number(text, end, name); }
PERDURE_REAL(float, strtof, char)
PERDURE_REAL(double, strtod, char)
PERDURE_REAL(long double, strtold, char)
PERDURE_REAL(float, wcstof, wchar_t)
PERDURE_REAL(double, wcstod, wchar_t)
PERDURE_REAL(long double, wcstold, wchar_t)

int perdure_tm_atoi(const char* text) { return parse_text(text, atoi); }
long perdure_tm_atol(const char* text) { return parse_text(text, atol); }
long long perdure_tm_atoll(const char* text) { return parse_text(text, atoll); }
double perdure_tm_atof(const char* text) { return parse_text(text, atof); }
long perdure_tm_a64l(const char* text) { return parse_text(text, a64l); }

// Each for the three types of <math.h>, which C tells by a suffix.
#define PERDURE_REAL_FUNCTIONS(type, suffix)                                                   \
  int perdure_tm_strfrom##suffix(char* to, std::size_t size, const char* format, type value) { \
    return print_number(to, size, format, value, strfrom##suffix);                             \
  }
PERDURE_REAL_FUNCTIONS(double, d)
PERDURE_REAL_FUNCTIONS(float, f)
PERDURE_REAL_FUNCTIONS(long double, l)

}  // extern "C"
