#ifndef PERDURE_TESTS_C_LIBRARY_WORKS_H
#define PERDURE_TESTS_C_LIBRARY_WORKS_H

#include <locale.h>
#include <stddef.h>
#include <stdint.h>
#include <wchar.h>

#ifdef __cplusplus
extern "C" {
#endif

/// What functions of the C library are called on, in a pool and outside. Holds no pointers but `tree` and `parts`,
/// which are null before and after.
struct area {
  char text[320];
  char other[320];
  char target[640];
  wchar_t wide[160];
  wchar_t wide_other[160];
  wchar_t wide_target[320];
  long numbers[40];
  int ints[40];
  double real[8];
  long double long_real[4];
  void* tree;
  char* parts[4];
  uint64_t seed;
};

/// For functions that are given one: as C has it.
extern locale_t c_locale;

/// Calls functions on the area, in ways that the number chooses. \returns what they returned, summed up.
typedef uint64_t (*work_function)(struct area* area, unsigned number);

struct named_work {
  const char* name;
  work_function run;
};

/// The same works, as compiled in one way: the last has no name.
typedef const struct named_work* works;

#ifdef __cplusplus
}
#endif

#endif
