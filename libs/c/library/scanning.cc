// Clones of the functions of C that read values out of text (libs/abi/c_library.def). The C library is called on
// copies, and what it has stored is written to its places.
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <wchar.h>

#include <algorithm>
#include <cerrno>
#include <cstdarg>
#include <cstddef>
#include <cstdint>
#include <cstring>

#include "abi/entry_points.h"
#include "alloc/next_layout.h"
#include "c/library/argument_list.h"
#include "c/library/format.h"
#include "c/library/private_memory.h"
#include "c/library/text_reader.h"

extern "C" void* perdure_tm_malloc(std::size_t bytes);

namespace {

using namespace perdure::c;

/// Where a conversion stores: first here, then in the program's memory.
struct Target {
  enum class Kind { value, text, allocated } kind;
  void* original = nullptr;
  void* place = nullptr;
  std::size_t bytes = 0;  // of a value, or of a text's characters
  std::size_t count = 0;  // of characters without a terminator; 0: there is one
  bool is_counted = true;
};

template <class Character>
class Scanning {
 public:
  Scanning(const Character* text, const Character* format, std::va_list list)
      : list_(list), text_(copy_text(memory_, text)), format_(copy_text(memory_, format)) {
    length_ = std::char_traits<Character>::length(text_);
    collect();
  }

  template <class Scan>
  int call(Scan&& scan) {
    MadeList list(words_);
    const int result = setting_errno([&] { return scan(text_, format_, list.list()); });
    int assigned = std::max(result, 0);
    for (std::size_t i = 0; i < count_; ++i)
      if (targets_[i].is_counted) targets_[i].is_counted = assigned-- > 0;
    for (std::size_t i = 0; i < count_; ++i) take_over(targets_[i]);
    for (std::size_t i = 0; i < count_; ++i) write(targets_[i]);
    return result;
  }

 private:
  using Reader = FormatReader<Character>;

  void collect() {
    std::size_t conversions = 0, most = 0;
    Conversion<Character> conversion;
    for (Reader reader(format_, Reader::Family::scanf); reader.next(conversion);) {
      if (!conversion.is_suppressed) most = std::max(++conversions, std::max(most, conversion.argument));
    }
    most = std::min(most, most_arguments);
    auto* const pointers = memory_.template room_for<void*>(most + 1);
    for (std::size_t i = 0; i < most; ++i) pointers[i] = va_arg(list_.list(), void*);
    words_ = memory_.template room_for<std::uint64_t>(most + 1);
    targets_ = memory_.template room_for<Target>(conversions + 1);
    std::size_t next = 0;
    for (Reader reader(format_, Reader::Family::scanf); reader.next(conversion);) {
      if (conversion.is_suppressed) continue;
      const std::size_t argument = conversion.argument == 0 ? next++ : conversion.argument - 1;
      if (argument >= most) continue;
      targets_[count_] = target_of(conversion, pointers[argument]);
      words_[argument] = reinterpret_cast<std::uint64_t>(targets_[count_++].place);
    }
  }

  Target target_of(const Conversion<Character>& conversion, void* original) {
    const Character specifier = conversion.specifier;
    const bool is_set = specifier == 's' || specifier == 'S' || specifier == '[';
    const bool is_characters = specifier == 'c' || specifier == 'C';
    Target target{Target::Kind::value, original, nullptr, conversion.length.bytes, 0, specifier != 'n'};
    if (!is_set && !is_characters) {
      if (specifier == 'p') target.bytes = sizeof(void*);
      const bool is_real = specifier != 'p' && std::strchr("aAeEfFgG", static_cast<int>(specifier)) != nullptr;
      if (is_real && conversion.length.is_long_double) target.bytes = sizeof(long double);
      return with_value(target, target.bytes);
    }
    const bool is_wide = conversion.length.is_wide || specifier == 'S' || specifier == 'C';
    target.bytes = is_wide ? sizeof(wchar_t) : 1;
    const std::size_t width = conversion.width.kind == FormatNumber::Kind::none ? 1 : conversion.width.value;
    if (is_characters) target.count = std::min(width, length_);
    if (conversion.allocates) {
      target.kind = Target::Kind::allocated;
      target.place = std::memset(memory_.template room_for<void*>(1), 0, sizeof(void*));
      return target;
    }
    const bool is_narrowed = !is_wide && sizeof(Character) > 1;
    if (is_characters && !is_narrowed) return with_value(target, target.count * target.bytes);
    target.kind = Target::Kind::text;
    const std::size_t room = (length_ + 1) * (is_narrowed ? MB_LEN_MAX : target.bytes);
    target.place = std::memset(memory_.template room_for<char>(room), 0, room);
    return target;
  }

  /// Starts with what is there, so that only what was stored differs.
  Target with_value(Target target, std::size_t bytes) {
    target.bytes = bytes;
    target.place = memory_.copy(static_cast<const char*>(target.original), bytes);
    return target;
  }

  /// The text that the C library has allocated: before anything that an abort may leave by.
  void take_over(Target& target) {
    if (target.kind != Target::Kind::allocated) return;
    void* text = nullptr;
    std::memcpy(&text, target.place, sizeof(text));
    if (text == nullptr || !target.is_counted) return;
    const std::size_t size = size_of(target, text);
    target.place = std::memcpy(memory_.template room_for<char>(size), text, size);
    free(text);
  }

  static std::size_t size_of(const Target& target, const void* text) {
    if (target.count > 0) return target.count * target.bytes;
    if (target.bytes == sizeof(wchar_t)) return (std::wcslen(static_cast<const wchar_t*>(text)) + 1) * sizeof(wchar_t);
    return std::strlen(static_cast<const char*>(text)) + 1;
  }

  void write(const Target& target) {
    if (target.kind == Target::Kind::value) {
      PrivateMemory before;
      const char* const old = before.copy(static_cast<const char*>(target.original), target.bytes);
      if (std::memcmp(old, target.place, target.bytes) != 0)
        perdure_write_bytes(target.original, target.place, target.bytes);
    } else if (target.is_counted) {
      write_text(target);
    }
  }

  void write_text(const Target& target) {
    std::size_t size = size_of(target, target.place);
    if (target.kind == Target::Kind::text) {
      if (target.count > 0) size = std::strlen(static_cast<const char*>(target.place));  // of "%c" in wide text
      return perdure_write_bytes(target.original, target.place, size);
    }
    perdure::alloc::set_next_layout(&perdure::alloc::no_pointers);
    void* const block = perdure_tm_malloc(size);
    if (block != nullptr) perdure_write_bytes(block, target.place, size);
    write_variable(static_cast<void**>(target.original), block);
  }

  PrivateMemory memory_;
  CopiedList list_;
  const Character* text_;
  const Character* format_;
  std::size_t length_ = 0;
  std::uint64_t* words_ = nullptr;
  Target* targets_ = nullptr;
  std::size_t count_ = 0;
};

using ScanText = int (*)(const char*, const char*, std::va_list);
using ScanWideText = int (*)(const wchar_t*, const wchar_t*, std::va_list);

}  // namespace

extern "C" {

// What headers make of the plain names: numbers as in C99, and as in C23 where the C library has that.
[[gnu::weak]] int __isoc23_vsscanf(const char*, const char*, std::va_list);
[[gnu::weak]] int __isoc23_vswscanf(const wchar_t*, const wchar_t*, std::va_list);

int perdure_tm_vsscanf(const char* text, const char* format, std::va_list list) {
  const ScanText scan = vsscanf;
  return Scanning<char>(text, format, list).call(scan);
}
int perdure_tm___isoc99_vsscanf(const char* text, const char* format, std::va_list list) {
  return perdure_tm_vsscanf(text, format, list);
}
int perdure_tm___isoc23_vsscanf(const char* text, const char* format, std::va_list list) {
  const ScanText scan = &__isoc23_vsscanf != nullptr ? __isoc23_vsscanf : ScanText{vsscanf};
  return Scanning<char>(text, format, list).call(scan);
}
int perdure_tm_vswscanf(const wchar_t* text, const wchar_t* format, std::va_list list) {
  const ScanWideText scan = vswscanf;
  return Scanning<wchar_t>(text, format, list).call(scan);
}
int perdure_tm___isoc99_vswscanf(const wchar_t* text, const wchar_t* format, std::va_list list) {
  return perdure_tm_vswscanf(text, format, list);
}
int perdure_tm___isoc23_vswscanf(const wchar_t* text, const wchar_t* format, std::va_list list) {
  const ScanWideText scan = &__isoc23_vswscanf != nullptr ? __isoc23_vswscanf : ScanWideText{vswscanf};
  return Scanning<wchar_t>(text, format, list).call(scan);
}

// A macro, because nothing else passes arguments on.
#define PERDURE_SCANF(name, list_name, character)                              \
  int perdure_tm_##name(const character* text, const character* format, ...) { \
    std::va_list list;                                                         \
    va_start(list, format);                                                    \
    const int result = perdure_tm_##list_name(text, format, list);             \
    va_end(list);                                                              \
    return result;                                                             \
  }
PERDURE_SCANF(sscanf, vsscanf, char)
PERDURE_SCANF(__isoc99_sscanf, vsscanf, char)
PERDURE_SCANF(__isoc23_sscanf, __isoc23_vsscanf, char)
PERDURE_SCANF(swscanf, vswscanf, wchar_t)
PERDURE_SCANF(__isoc99_swscanf, vswscanf, wchar_t)
PERDURE_SCANF(__isoc23_swscanf, __isoc23_vswscanf, wchar_t)

}  // extern "C"
