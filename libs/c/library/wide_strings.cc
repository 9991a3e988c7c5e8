// Clones of the functions of C over wide characters (libs/abi/c_library.def), over the entry points.
#include <wchar.h>
#include <wctype.h>

#include <cstddef>
#include <cstdint>

#include "abi/entry_points.h"
#include "c/library/private_memory.h"
#include "c/library/text_functions.h"
#include "c/library/text_reader.h"

namespace {

using namespace perdure::c;

struct FoldCase {
  wchar_t operator()(wchar_t character) const { return static_cast<wchar_t>(towlower(static_cast<wint_t>(character))); }
};
struct FoldCaseIn {
  locale_t locale;
  wchar_t operator()(wchar_t character) const {
    return static_cast<wchar_t>(towlower_l(static_cast<wint_t>(character), locale));
  }
};

}  // namespace

extern "C" {

wchar_t* perdure_tm_wmemcpy(wchar_t* to, const wchar_t* from, std::size_t count) {
  return static_cast<wchar_t*>(perdure_memcpy(to, from, count * sizeof(wchar_t)));
}
wchar_t* perdure_tm_wmempcpy(wchar_t* to, const wchar_t* from, std::size_t count) {
  return perdure_tm_wmemcpy(to, from, count) + count;
}
wchar_t* perdure_tm_wmemmove(wchar_t* to, const wchar_t* from, std::size_t count) {
  return static_cast<wchar_t*>(perdure_memmove(to, from, count * sizeof(wchar_t)));
}

wchar_t* perdure_tm_wmemset(wchar_t* to, wchar_t character, std::size_t count) {
  for (std::size_t i = 0; i < count; ++i)
    perdure_write_u32(reinterpret_cast<std::uint32_t*>(to + i), static_cast<std::uint32_t>(character));
  return to;
}

int perdure_tm_wmemcmp(const wchar_t* left, const wchar_t* right, std::size_t count) {
  TextReader<wchar_t> left_reader(left), right_reader(right);
  for (std::size_t i = 0; i < count; ++i) {
    const wchar_t a = left_reader[i];
    const wchar_t b = right_reader[i];
    if (a != b) return a < b ? -1 : 1;
  }
  return 0;
}

wchar_t* perdure_tm_wmemchr(const wchar_t* from, wchar_t character, std::size_t count) {
  TextReader<wchar_t> reader(from);
  for (std::size_t i = 0; i < count; ++i)
    if (reader[i] == character) return const_cast<wchar_t*>(from + i);
  return nullptr;
}

std::size_t perdure_tm_wcslen(const wchar_t* text) { return length_of(text); }
std::size_t perdure_tm_wcsnlen(const wchar_t* text, std::size_t limit) { return length_of(text, limit); }

int perdure_tm_wcscmp(const wchar_t* left, const wchar_t* right) { return compare(left, right); }
int perdure_tm_wcsncmp(const wchar_t* left, const wchar_t* right, std::size_t limit) {
  return compare(left, right, limit);
}
int perdure_tm_wcscasecmp(const wchar_t* left, const wchar_t* right) {
  return compare(left, right, no_limit, FoldCase{});
}
int perdure_tm_wcsncasecmp(const wchar_t* left, const wchar_t* right, std::size_t limit) {
  return compare(left, right, limit, FoldCase{});
}
int perdure_tm_wcscasecmp_l(const wchar_t* left, const wchar_t* right, locale_t locale) {
  return compare(left, right, no_limit, FoldCaseIn{locale});
}
int perdure_tm_wcsncasecmp_l(const wchar_t* left, const wchar_t* right, std::size_t limit, locale_t locale) {
  return compare(left, right, limit, FoldCaseIn{locale});
}
int perdure_tm_wcscoll(const wchar_t* left, const wchar_t* right) { return compared(left, right, wcscoll); }
int perdure_tm_wcscoll_l(const wchar_t* left, const wchar_t* right, locale_t locale) {
  return compared(left, right, [locale](const wchar_t* a, const wchar_t* b) { return wcscoll_l(a, b, locale); });
}
std::size_t perdure_tm_wcsxfrm(wchar_t* to, const wchar_t* from, std::size_t size) {
  return transformed(to, from, size, wcsxfrm);
}
std::size_t perdure_tm_wcsxfrm_l(wchar_t* to, const wchar_t* from, std::size_t size, locale_t locale) {
  return transformed(to, from, size, [locale](wchar_t* a, const wchar_t* b, std::size_t room) {
    return wcsxfrm_l(a, b, room, locale);
  });
}

wchar_t* perdure_tm_wcschr(const wchar_t* text, wchar_t character) { return find(text, character); }
wchar_t* perdure_tm_wcsrchr(const wchar_t* text, wchar_t character) { return find_last(text, character); }
std::size_t perdure_tm_wcsspn(const wchar_t* text, const wchar_t* members) {
  return span(text, CharacterSet(members), true);
}
std::size_t perdure_tm_wcscspn(const wchar_t* text, const wchar_t* members) {
  return span(text, CharacterSet(members), false);
}
wchar_t* perdure_tm_wcspbrk(const wchar_t* text, const wchar_t* members) { return find_any(text, members); }
wchar_t* perdure_tm_wcsstr(const wchar_t* text, const wchar_t* sought) {
  return find_text(text, no_limit, true, sought, length_of(sought));
}
wchar_t* perdure_tm_wcswcs(const wchar_t* text, const wchar_t* sought) { return perdure_tm_wcsstr(text, sought); }

wchar_t* perdure_tm_wcscpy(wchar_t* to, const wchar_t* from) {
  copy_with_end(to, from);
  return to;
}
wchar_t* perdure_tm_wcpcpy(wchar_t* to, const wchar_t* from) { return copy_with_end(to, from); }
wchar_t* perdure_tm_wcsncpy(wchar_t* to, const wchar_t* from, std::size_t limit) {
  copy_filling(to, from, limit);
  return to;
}
wchar_t* perdure_tm_wcpncpy(wchar_t* to, const wchar_t* from, std::size_t limit) {
  return copy_filling(to, from, limit);
}
wchar_t* perdure_tm_wcscat(wchar_t* to, const wchar_t* from) { return append(to, from); }
wchar_t* perdure_tm_wcsncat(wchar_t* to, const wchar_t* from, std::size_t limit) { return append(to, from, limit); }
std::size_t perdure_tm_wcslcpy(wchar_t* to, const wchar_t* from, std::size_t size) { return copy_cut(to, from, size); }
std::size_t perdure_tm_wcslcat(wchar_t* to, const wchar_t* from, std::size_t size) {
  return append_cut(to, from, size);
}
wchar_t* perdure_tm_wcsdup(const wchar_t* text) { return duplicate(text); }
wchar_t* perdure_tm_wcstok(wchar_t* text, const wchar_t* separators, wchar_t** rest) {
  return next_token(text, separators, rest);
}
int perdure_tm_wcswidth(const wchar_t* text, std::size_t limit) {
  PrivateMemory memory;
  return wcswidth(copy_text(memory, text, limit), limit);
}

}  // extern "C"
