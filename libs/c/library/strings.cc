// Clones of the functions of C over text (libs/abi/c_library.def), over the entry points.
#include <ctype.h>
#include <locale.h>
#include <string.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>

#include "abi/entry_points.h"
#include "c/library/private_memory.h"
#include "c/library/text_functions.h"
#include "c/library/text_reader.h"
#include "persist/sanitizers.h"

namespace {

using namespace perdure::c;

/// Whether one of the word's bytes is 0: the borrow out of a zero byte reaches its high bit.
bool has_zero_byte(std::uint64_t word) { return ((word - 0x0101010101010101U) & ~word & 0x8080808080808080U) != 0; }

char character_at(const char* text, std::size_t index) {
  return static_cast<char>(perdure_read_u8(reinterpret_cast<const std::uint8_t*>(text + index)));
}

/// Lower case, in the locale.
struct FoldCase {
  char operator()(char character) const { return static_cast<char>(tolower(static_cast<unsigned char>(character))); }
};
struct FoldCaseIn {
  locale_t locale;
  char operator()(char character) const {
    return static_cast<char>(tolower_l(static_cast<unsigned char>(character), locale));
  }
};

/// Where strtok goes on: the thread's own, in transactions, and a variable like others.
thread_local char* rest_of_tokens;

}  // namespace

extern "C" {

std::size_t perdure_tm_strlen(const char* string) {
  std::size_t length = 0;
#ifdef PERDURE_ADDRESS_SANITIZER
  while (character_at(string, length) != 0) ++length;  // it objects to bytes behind the end, whatever they are used for
  return length;
#endif
  for (; reinterpret_cast<std::uintptr_t>(string + length) % 8 != 0; ++length)
    if (character_at(string, length) == 0) return length;
  // An aligned word lies in one page, so reading it whole cannot fault even if the string ends within it.
  while (!has_zero_byte(perdure_read_u64(reinterpret_cast<const std::uint64_t*>(string + length)))) length += 8;
  while (character_at(string, length) != 0) ++length;
  return length;
}

std::size_t perdure_tm_strnlen(const char* text, std::size_t limit) { return length_of(text, limit); }

int perdure_tm_strcmp(const char* left, const char* right) { return compare(left, right); }
int perdure_tm_strncmp(const char* left, const char* right, std::size_t limit) { return compare(left, right, limit); }
int perdure_tm_strcasecmp(const char* left, const char* right) { return compare(left, right, no_limit, FoldCase{}); }
int perdure_tm_strncasecmp(const char* left, const char* right, std::size_t limit) {
  return compare(left, right, limit, FoldCase{});
}
int perdure_tm_strcasecmp_l(const char* left, const char* right, locale_t locale) {
  return compare(left, right, no_limit, FoldCaseIn{locale});
}
int perdure_tm_strncasecmp_l(const char* left, const char* right, std::size_t limit, locale_t locale) {
  return compare(left, right, limit, FoldCaseIn{locale});
}
int perdure_tm_strverscmp(const char* left, const char* right) { return compared(left, right, strverscmp); }
int perdure_tm_strcoll(const char* left, const char* right) { return compared(left, right, strcoll); }
int perdure_tm_strcoll_l(const char* left, const char* right, locale_t locale) {
  return compared(left, right, [locale](const char* a, const char* b) { return strcoll_l(a, b, locale); });
}
std::size_t perdure_tm_strxfrm(char* to, const char* from, std::size_t size) {
  return transformed(to, from, size, strxfrm);
}
std::size_t perdure_tm_strxfrm_l(char* to, const char* from, std::size_t size, locale_t locale) {
  return transformed(to, from, size,
                     [locale](char* a, const char* b, std::size_t room) { return strxfrm_l(a, b, room, locale); });
}

char* perdure_tm_strchr(const char* text, int character) { return find(text, static_cast<char>(character)); }
char* perdure_tm_index(const char* text, int character) { return find(text, static_cast<char>(character)); }
char* perdure_tm_strrchr(const char* text, int character) { return find_last(text, static_cast<char>(character)); }
char* perdure_tm_rindex(const char* text, int character) { return find_last(text, static_cast<char>(character)); }
char* perdure_tm_strchrnul(const char* text, int character) {
  TextReader<char> reader(text);
  std::size_t i = 0;
  while (reader[i] != static_cast<char>(character) && reader[i] != 0) ++i;
  return const_cast<char*>(text + i);
}
std::size_t perdure_tm_strspn(const char* text, const char* members) { return span(text, CharacterSet(members), true); }
std::size_t perdure_tm_strcspn(const char* text, const char* members) {
  return span(text, CharacterSet(members), false);
}
char* perdure_tm_strpbrk(const char* text, const char* members) { return find_any(text, members); }
char* perdure_tm_strstr(const char* text, const char* sought) {
  return find_text(text, no_limit, true, sought, perdure_tm_strlen(sought));
}
char* perdure_tm_strcasestr(const char* text, const char* sought) {
  return find_text(text, no_limit, true, sought, perdure_tm_strlen(sought), FoldCase{});
}

char* perdure_tm_strcpy(char* to, const char* from) {
  copy_with_end(to, from);
  return to;
}
char* perdure_tm_stpcpy(char* to, const char* from) { return copy_with_end(to, from); }
char* perdure_tm_strncpy(char* to, const char* from, std::size_t limit) {
  copy_filling(to, from, limit);
  return to;
}
char* perdure_tm_stpncpy(char* to, const char* from, std::size_t limit) { return copy_filling(to, from, limit); }
char* perdure_tm_strcat(char* to, const char* from) { return append(to, from); }
char* perdure_tm_strncat(char* to, const char* from, std::size_t limit) { return append(to, from, limit); }
std::size_t perdure_tm_strlcpy(char* to, const char* from, std::size_t size) { return copy_cut(to, from, size); }
std::size_t perdure_tm_strlcat(char* to, const char* from, std::size_t size) { return append_cut(to, from, size); }
char* perdure_tm_strdup(const char* text) { return duplicate(text); }
char* perdure_tm_strndup(const char* text, std::size_t limit) { return duplicate(text, limit); }

char* perdure_tm_strtok_r(char* text, const char* separators, char** rest) {
  return next_token(text, separators, rest);
}
char* perdure_tm_strtok(char* text, const char* separators) { return next_token(text, separators, &rest_of_tokens); }
char* perdure_tm_strsep(char** rest, const char* separators) {
  char* const text = read_variable(rest);
  if (text == nullptr) return nullptr;
  char* const end = find_any(text, separators);
  if (end != nullptr) write_variable(end, '\0');
  write_variable(rest, end == nullptr ? nullptr : end + 1);
  return text;
}

}  // extern "C"
