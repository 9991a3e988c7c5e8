// Clones of the functions of C between multibyte and wide characters (libs/abi/c_library.def). The C library is called
// on copies of the bytes and of the state of the conversion.
#include <stdlib.h>
#include <string.h>
#include <uchar.h>
#include <wchar.h>
#include <wctype.h>

#include <algorithm>
#include <array>
#include <climits>
#include <cstddef>
#include <cstdint>

#include "abi/entry_points.h"
#include "c/library/private_memory.h"
#include "c/library/text_reader.h"
#include "c/library/thread_results.h"

namespace {

using namespace perdure::c;

constexpr auto failure = static_cast<std::size_t>(-1);
constexpr auto incomplete = static_cast<std::size_t>(-2);

/// For calls without a state: one of each thread, for each function.
template <StateOf function>
std::mbstate_t* state_or_own(std::mbstate_t* state) {
  return state != nullptr ? state : &thread_results().states[static_cast<std::size_t>(function)];
}

/// mbrtowc and the like, a byte at a time, because what lies behind the character may not be readable.
template <StateOf function, class Character, class Convert>
std::size_t read_character(Character* to, const char* text, std::size_t limit, std::mbstate_t* state, Convert convert) {
  state = state_or_own<function>(state);
  std::mbstate_t copy = read_variable(state);
  Character character{};
  std::size_t result = incomplete;
  if (text == nullptr) {
    result = setting_errno([&] { return convert(nullptr, "", 1, &copy); });
  } else {
    TextReader<char> reader(text);
    for (std::size_t i = 0; i < limit && result == incomplete; ++i) {
      const char byte = reader[i];
      result = setting_errno([&] { return convert(&character, &byte, 1, &copy); });
      if (result == 1) result = i + 1;
    }
    if (result != failure && result != incomplete) write_variable(to, character);
  }
  write_variable(state, copy);
  return result;
}

/// wcrtomb and the like.
template <StateOf function, class Character, class Convert>
std::size_t write_character(char* to, Character character, std::mbstate_t* state, Convert convert) {
  state = state_or_own<function>(state);
  std::mbstate_t copy = read_variable(state);
  std::array<char, MB_LEN_MAX> bytes;
  const std::size_t size =
      setting_errno([&] { return convert(bytes.data(), to == nullptr ? Character{} : character, &copy); });
  if (to != nullptr && size != failure) perdure_write_bytes(to, bytes.data(), size);
  write_variable(state, copy);
  return size;
}

/// mbsrtowcs, wcsrtombs and the like: texts, of which `size` characters are wanted and `limit` are read.
/// \param convert  (to, from, limit, size, state)
template <StateOf function, class To, class From, class Convert>
std::size_t convert_text(To* to, const From** from, std::size_t limit, std::size_t size, std::mbstate_t* state,
                         Convert convert) {
  state = state_or_own<function>(state);
  std::mbstate_t copied_state = read_variable(state);
  const From* const text = read_variable(from);
  PrivateMemory memory;
  const From* const copy = copy_text(memory, text, limit);
  const From* end = copy;
  const std::size_t length = std::char_traits<From>::length(copy);
  // A character becomes no more than so many.
  const std::size_t most = (length + 1) * (sizeof(To) == 1 ? MB_LEN_MAX : 1);
  const std::size_t wanted = to == nullptr ? 0 : std::min(size, most);
  To* const result = to == nullptr ? nullptr : memory.room_for<To>(wanted + 1);
  const std::size_t count =
      setting_errno([&] { return convert(result, &end, std::min(limit, length + 1), wanted, &copied_state); });
  if (to == nullptr) return count;
  // Up to an error, characters were converted, too; how many is known by the rest of the text only.
  const bool is_ended = count != failure && end == nullptr;
  if (count != failure) perdure_write_bytes(to, result, (count + (is_ended ? 1 : 0)) * sizeof(To));
  write_variable(from, end == nullptr ? nullptr : text + (end - copy));
  write_variable(state, copied_state);
  return count;
}

}  // namespace

extern "C" {

std::size_t perdure_tm_mbrtowc(wchar_t* to, const char* text, std::size_t limit, std::mbstate_t* state) {
  return read_character<StateOf::mbrtowc>(to, text, limit, state, mbrtowc);
}
std::size_t perdure_tm_mbrlen(const char* text, std::size_t limit, std::mbstate_t* state) {
  return read_character<StateOf::mbrlen>(static_cast<wchar_t*>(nullptr), text, limit,
                                         state_or_own<StateOf::mbrlen>(state), mbrtowc);
}
std::size_t perdure_tm___mbrlen(const char* text, std::size_t limit, std::mbstate_t* state) {
  return perdure_tm_mbrlen(text, limit, state);
}
std::size_t perdure_tm_mbrtoc8(char8_t* to, const char* text, std::size_t limit, std::mbstate_t* state) {
  return read_character<StateOf::mbrtoc8>(to, text, limit, state, mbrtoc8);
}
std::size_t perdure_tm_mbrtoc16(char16_t* to, const char* text, std::size_t limit, std::mbstate_t* state) {
  return read_character<StateOf::mbrtoc16>(to, text, limit, state, mbrtoc16);
}
std::size_t perdure_tm_mbrtoc32(char32_t* to, const char* text, std::size_t limit, std::mbstate_t* state) {
  return read_character<StateOf::mbrtoc32>(to, text, limit, state, mbrtoc32);
}
std::size_t perdure_tm_wcrtomb(char* to, wchar_t character, std::mbstate_t* state) {
  return write_character<StateOf::wcrtomb>(to, character, state, wcrtomb);
}
std::size_t perdure_tm_c8rtomb(char* to, char8_t character, std::mbstate_t* state) {
  return write_character<StateOf::c8rtomb>(to, character, state, c8rtomb);
}
std::size_t perdure_tm_c16rtomb(char* to, char16_t character, std::mbstate_t* state) {
  return write_character<StateOf::c16rtomb>(to, character, state, c16rtomb);
}
std::size_t perdure_tm_c32rtomb(char* to, char32_t character, std::mbstate_t* state) {
  return write_character<StateOf::c32rtomb>(to, character, state, c32rtomb);
}
int perdure_tm_mbsinit(const std::mbstate_t* state) {
  if (state == nullptr) return 1;
  const std::mbstate_t copy = read_variable(state);
  return mbsinit(&copy);
}

std::size_t perdure_tm_mbsnrtowcs(wchar_t* to, const char** from, std::size_t limit, std::size_t size,
                                  std::mbstate_t* state) {
  return convert_text<StateOf::mbsrtowcs>(to, from, limit, size, state, mbsnrtowcs);
}
std::size_t perdure_tm_mbsrtowcs(wchar_t* to, const char** from, std::size_t size, std::mbstate_t* state) {
  return perdure_tm_mbsnrtowcs(to, from, SIZE_MAX, size, state);
}
std::size_t perdure_tm_wcsnrtombs(char* to, const wchar_t** from, std::size_t limit, std::size_t size,
                                  std::mbstate_t* state) {
  return convert_text<StateOf::wcsrtombs>(to, from, limit, size, state, wcsnrtombs);
}
std::size_t perdure_tm_wcsrtombs(char* to, const wchar_t** from, std::size_t size, std::mbstate_t* state) {
  return perdure_tm_wcsnrtombs(to, from, SIZE_MAX, size, state);
}
std::size_t perdure_tm_mbstowcs(wchar_t* to, const char* from, std::size_t size) {
  std::mbstate_t state{};
  return perdure_tm_mbsrtowcs(to, &from, size, &state);
}
std::size_t perdure_tm_wcstombs(char* to, const wchar_t* from, std::size_t size) {
  std::mbstate_t state{};
  return perdure_tm_wcsrtombs(to, &from, size, &state);
}

// The encodings of glibc's locales have no states between characters.
int perdure_tm_mbtowc(wchar_t* to, const char* text, std::size_t limit) {
  if (text == nullptr) return 0;
  std::mbstate_t state{};
  const std::size_t result = perdure_tm_mbrtowc(to, text, limit, &state);
  return result == incomplete ? -1 : static_cast<int>(result);
}
int perdure_tm_mblen(const char* text, std::size_t limit) { return perdure_tm_mbtowc(nullptr, text, limit); }
int perdure_tm_wctomb(char* to, wchar_t character) {
  if (to == nullptr) return 0;
  std::mbstate_t state{};
  return static_cast<int>(perdure_tm_wcrtomb(to, character, &state));
}

wctype_t perdure_tm_wctype(const char* name) {
  PrivateMemory memory;
  return wctype(copy_text(memory, name));
}
wctype_t perdure_tm_wctype_l(const char* name, locale_t locale) {
  PrivateMemory memory;
  return wctype_l(copy_text(memory, name), locale);
}
wctrans_t perdure_tm_wctrans(const char* name) {
  PrivateMemory memory;
  return wctrans(copy_text(memory, name));
}
wctrans_t perdure_tm_wctrans_l(const char* name, locale_t locale) {
  PrivateMemory memory;
  return wctrans_l(copy_text(memory, name), locale);
}

}  // extern "C"
