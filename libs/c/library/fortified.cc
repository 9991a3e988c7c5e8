// Clones of the functions that glibc's headers call in place of others with _FORTIFY_SOURCE (libs/abi/c_library.def):
// each knows how much room there is, and ends the program when that does not suffice.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <cwchar>

#include "c/library/text_reader.h"

extern "C" [[noreturn]] void __chk_fail();

namespace {

void check(std::size_t needed, std::size_t room) {
  if (needed > room) __chk_fail();
}

template <class Character>
void check_text(const Character* text, std::size_t limit, std::size_t room) {
  const std::size_t length = perdure::c::length_of(text, limit);
  check(length + 1, room);
}

}  // namespace

extern "C" {

// Macros, because the names are those of C. Those of a size: (to, from, size) or (to, value, size).
#define PERDURE_OF_SIZE(result, name, to_type, second_type)                                              \
  result perdure_tm_##name(to_type to, second_type second, std::size_t size);                            \
  result perdure_tm___##name##_chk(to_type to, second_type second, std::size_t size, std::size_t room) { \
    check(size, room);                                                                                   \
    return perdure_tm_##name(to, second, size);                                                          \
  }
PERDURE_OF_SIZE(void*, memcpy, void*, const void*)
PERDURE_OF_SIZE(void*, memmove, void*, const void*)
PERDURE_OF_SIZE(void*, mempcpy, void*, const void*)
PERDURE_OF_SIZE(void*, memset, void*, int)
PERDURE_OF_SIZE(char*, strncpy, char*, const char*)
PERDURE_OF_SIZE(char*, stpncpy, char*, const char*)
PERDURE_OF_SIZE(std::size_t, strlcpy, char*, const char*)
PERDURE_OF_SIZE(std::size_t, strlcat, char*, const char*)
PERDURE_OF_SIZE(wchar_t*, wmemcpy, wchar_t*, const wchar_t*)
PERDURE_OF_SIZE(wchar_t*, wmemmove, wchar_t*, const wchar_t*)
PERDURE_OF_SIZE(wchar_t*, wmempcpy, wchar_t*, const wchar_t*)
PERDURE_OF_SIZE(wchar_t*, wmemset, wchar_t*, wchar_t)
PERDURE_OF_SIZE(wchar_t*, wcsncpy, wchar_t*, const wchar_t*)
PERDURE_OF_SIZE(wchar_t*, wcpncpy, wchar_t*, const wchar_t*)
PERDURE_OF_SIZE(std::size_t, wcslcpy, wchar_t*, const wchar_t*)
PERDURE_OF_SIZE(std::size_t, wcslcat, wchar_t*, const wchar_t*)
PERDURE_OF_SIZE(std::size_t, mbstowcs, wchar_t*, const char*)
PERDURE_OF_SIZE(std::size_t, wcstombs, char*, const wchar_t*)

// Those that copy text to its end.
#define PERDURE_OF_TEXT(name, character)                                                         \
  character* perdure_tm_##name(character* to, const character* from);                            \
  character* perdure_tm___##name##_chk(character* to, const character* from, std::size_t room) { \
    check_text(from, SIZE_MAX, room);                                                            \
    return perdure_tm_##name(to, from);                                                          \
  }
PERDURE_OF_TEXT(strcpy, char)
PERDURE_OF_TEXT(stpcpy, char)
PERDURE_OF_TEXT(wcscpy, wchar_t)
PERDURE_OF_TEXT(wcpcpy, wchar_t)

// Those that append.
#define PERDURE_APPENDING(name, limited, character)                                                                    \
  character* perdure_tm_##name(character* to, const character* from);                                                  \
  character* perdure_tm_##limited(character* to, const character* from, std::size_t limit);                            \
  character* perdure_tm___##name##_chk(character* to, const character* from, std::size_t room) {                       \
    const std::size_t before = perdure::c::length_of(to, room);                                                        \
    check_text(from, SIZE_MAX, room - before);                                                                         \
    return perdure_tm_##name(to, from);                                                                                \
  }                                                                                                                    \
  character* perdure_tm___##limited##_chk(character* to, const character* from, std::size_t limit, std::size_t room) { \
    const std::size_t before = perdure::c::length_of(to, room);                                                        \
    check_text(from, limit, room - before);                                                                            \
    return perdure_tm_##limited(to, from, limit);                                                                      \
  }
PERDURE_APPENDING(strcat, strncat, char)
PERDURE_APPENDING(wcscat, wcsncat, wchar_t)

void perdure_tm_explicit_bzero(void* to, std::size_t size);
void perdure_tm___explicit_bzero_chk(void* to, std::size_t size, std::size_t room) {
  check(size, room);
  perdure_tm_explicit_bzero(to, size);
}

// Of characters: the size is that of the object in characters.
std::size_t perdure_tm_wcrtomb(char* to, wchar_t character, std::mbstate_t* state);
int perdure_tm_wctomb(char* to, wchar_t character);
std::size_t perdure_tm___wcrtomb_chk(char* to, wchar_t character, std::mbstate_t* state, std::size_t room) {
  if (to != nullptr) check(MB_CUR_MAX, room);
  return perdure_tm_wcrtomb(to, character, state);
}
int perdure_tm___wctomb_chk(char* to, wchar_t character, std::size_t room) {
  if (to != nullptr) check(MB_CUR_MAX, room);
  return perdure_tm_wctomb(to, character);
}

std::size_t perdure_tm_mbsrtowcs(wchar_t* to, const char** from, std::size_t size, std::mbstate_t* state);
std::size_t perdure_tm_wcsrtombs(char* to, const wchar_t** from, std::size_t size, std::mbstate_t* state);
std::size_t perdure_tm_mbsnrtowcs(wchar_t* to, const char** from, std::size_t limit, std::size_t size,
                                  std::mbstate_t* state);
std::size_t perdure_tm_wcsnrtombs(char* to, const wchar_t** from, std::size_t limit, std::size_t size,
                                  std::mbstate_t* state);
std::size_t perdure_tm___mbsrtowcs_chk(wchar_t* to, const char** from, std::size_t size, std::mbstate_t* state,
                                       std::size_t room) {
  if (to != nullptr) check(size, room);
  return perdure_tm_mbsrtowcs(to, from, size, state);
}
std::size_t perdure_tm___wcsrtombs_chk(char* to, const wchar_t** from, std::size_t size, std::mbstate_t* state,
                                       std::size_t room) {
  if (to != nullptr) check(size, room);
  return perdure_tm_wcsrtombs(to, from, size, state);
}
std::size_t perdure_tm___mbsnrtowcs_chk(wchar_t* to, const char** from, std::size_t limit, std::size_t size,
                                        std::mbstate_t* state, std::size_t room) {
  if (to != nullptr) check(size, room);
  return perdure_tm_mbsnrtowcs(to, from, limit, size, state);
}
std::size_t perdure_tm___wcsnrtombs_chk(char* to, const wchar_t** from, std::size_t limit, std::size_t size,
                                        std::mbstate_t* state, std::size_t room) {
  if (to != nullptr) check(size, room);
  return perdure_tm_wcsnrtombs(to, from, limit, size, state);
}

}  // extern "C"
