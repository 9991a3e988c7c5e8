// Clones of the functions of GNU that read numbers as a locale has them (libs/abi/c_library.def).
#include <locale.h>
#include <stdlib.h>
#include <wchar.h>

#include "c/library/parse_number.h"

using perdure::c::parse_number;

extern "C" {

// A macro, because the names are those of C: each function under both its names. The one that C23 gives it in glibc is
// null where there is none.
#define PERDURE_INTEGER_L(type, name, character)                                                                  \
  [[gnu::weak]] type __isoc23_##name##_l(const character*, character**, int, locale_t);                           \
  type perdure_tm_##name##_l(const character* text, character** end, int base, locale_t locale) {                 \
    return parse_number(text, end,                                                                                \
                        [=](const character* from, character** to) { return name##_l(from, to, base, locale); }); \
  }                                                                                                               \
  type perdure_tm___isoc23_##name##_l(const character* text, character** end, int base, locale_t locale) {        \
    type (*const plain)(const character*, character**, int, locale_t) = name##_l;                                 \
    auto* const parse = &__isoc23_##name##_l != nullptr ? __isoc23_##name##_l : plain;                            \
    return parse_number(text, end,                                                                                \
                        [=](const character* from, character** to) { return parse(from, to, base, locale); });    \
  }
PERDURE_INTEGER_L(long, strtol, char)
PERDURE_INTEGER_L(long long, strtoll, char)
PERDURE_INTEGER_L(unsigned long, strtoul, char)
PERDURE_INTEGER_L(unsigned long long, strtoull, char)
PERDURE_INTEGER_L(long, wcstol, wchar_t)
PERDURE_INTEGER_L(long long, wcstoll, wchar_t)
PERDURE_INTEGER_L(unsigned long, wcstoul, wchar_t)
PERDURE_INTEGER_L(unsigned long long, wcstoull, wchar_t)

#define PERDURE_REAL_L(type, name, character)                                                                          \
  type perdure_tm_##name##_l(const character* text, character** end, locale_t locale) {                                \
    return parse_number(text, end, [=](const character* from, character** to) { return name##_l(from, to, locale); }); \
  }
PERDURE_REAL_L(float, strtof, char)
PERDURE_REAL_L(double, strtod, char)
PERDURE_REAL_L(long double, strtold, char)
PERDURE_REAL_L(float, wcstof, wchar_t)
PERDURE_REAL_L(double, wcstod, wchar_t)
PERDURE_REAL_L(long double, wcstold, wchar_t)

}  // extern "C"
