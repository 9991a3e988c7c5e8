// Clones of the functions of C over wide characters (libs/abi/provided.def), over the entry points.
#include <cstddef>
#include <cstdint>
#include <cwchar>

#include "abi/entry_points.h"

namespace {

/// wchar_t may not be accessed as another integer directly; through the entry points it may.
wchar_t character_at(const wchar_t* string, std::size_t index) {
  return static_cast<wchar_t>(perdure_read_u32(reinterpret_cast<const std::uint32_t*>(string + index)));
}

}  // namespace

extern "C" {

wchar_t* perdure_tm_wmemcpy(wchar_t* to, const wchar_t* from, std::size_t count) {
  return static_cast<wchar_t*>(perdure_memcpy(to, from, count * sizeof(wchar_t)));
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
  for (std::size_t i = 0; i < count; ++i) {
    const wchar_t a = character_at(left, i);
    const wchar_t b = character_at(right, i);
    if (a != b) return a < b ? -1 : 1;
  }
  return 0;
}

wchar_t* perdure_tm_wmemchr(const wchar_t* from, wchar_t character, std::size_t count) {
  for (std::size_t i = 0; i < count; ++i)
    if (character_at(from, i) == character) return const_cast<wchar_t*>(from + i);
  return nullptr;
}

std::size_t perdure_tm_wcslen(const wchar_t* string) {
  std::size_t length = 0;
  while (character_at(string, length) != 0) ++length;
  return length;
}

}  // extern "C"
