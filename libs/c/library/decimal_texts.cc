// Clones of functions that write numbers as text, but printf's: ecvt and the like, l64a, strfmon
// (libs/abi/c_library.def). The C library is called on copies.
#include <monetary.h>
#include <stdlib.h>
#include <sys/types.h>

#include <algorithm>
#include <cstdarg>
#include <cstddef>
#include <cstdint>
#include <cstring>

#include "abi/entry_points.h"
#include "c/library/private_memory.h"
#include "c/library/text_reader.h"
#include "c/library/thread_results.h"

namespace {

using namespace perdure::c;

/// More digits has no number.
constexpr std::size_t most_digits = 6000;

/// ecvt_r and the others.
template <class Number, class Convert>
int convert(Number number, int digits, int* point, int* sign, char* to, std::size_t size, Convert&& convert_number) {
  PrivateMemory memory;
  const std::size_t room = std::min(size, most_digits);
  auto* const text = memory.room_for<char>(room + 1);
  int place_of_point = 0;
  int is_negative = 0;
  const int result =
      setting_errno([&] { return convert_number(number, digits, &place_of_point, &is_negative, text, room); });
  if (result != 0) return result;
  write_variable(point, place_of_point);
  write_variable(sign, is_negative);
  perdure_write_bytes(to, text, std::strlen(text) + 1);
  return result;
}

template <class Convert>
char* convert_here(double number, int digits, int* point, int* sign, Convert&& convert_number) {
  auto& text = thread_results().number;
  const int result = convert(number, digits, point, sign, text.data(), text.size(), convert_number);
  return result == 0 ? text.data() : nullptr;
}

template <class Number, class Print>
char* print_number(Number number, int digits, char* to, Print&& print) {
  char text[64];  // 21 digits at most, and what stands around them
  print(number, digits, text);
  perdure_write_bytes(to, text, std::strlen(text) + 1);
  return to;
}

/// The part of a format of strfmon up to the end of the first conversion.
struct Part {
  std::size_t length = 0;
  char conversion = '\0';  // 'i', 'n', '%', or none
  bool is_long = false;
};

Part first_part(const char* format) {
  Part part;
  part.length = static_cast<std::size_t>(std::strchr(format, '%') != nullptr ? std::strchr(format, '%') - format
                                                                             : std::strlen(format));
  if (format[part.length] == '\0') return part;
  for (++part.length; format[part.length] != '\0'; ++part.length) {
    const char character = format[part.length];
    if (std::strchr("in%", character) != nullptr) return {part.length + 1, character, part.is_long};
    if (character == 'L') part.is_long = true;
    if (character == '=' && format[part.length + 1] != '\0') ++part.length;  // the next one fills
  }
  return part;
}

/// strfmon with one number after the other. `print(to, size, format, number)` is the C library's.
template <class Print>
ssize_t print_money(char* to, std::size_t size, const char* format, std::va_list list, Print&& print) {
  PrivateMemory memory;
  char* rest = copy_text(memory, format);
  constexpr std::size_t enough = 1U << 16;
  const std::size_t room = std::min(size, enough);
  auto* const text = memory.room_for<char>(room);
  std::size_t length = 0;
  do {
    const Part part = first_part(rest);
    char* const end = rest + part.length;
    const char kept = *end;
    *end = '\0';
    const bool has_number = part.conversion == 'i' || part.conversion == 'n';
    const ssize_t printed = setting_errno([&]() -> ssize_t {
      if (has_number && part.is_long) return print(text + length, room - length, rest, va_arg(list, long double));
      return print(text + length, room - length, rest, has_number ? va_arg(list, double) : 0.0);
    });
    if (printed < 0) return -1;
    length += static_cast<std::size_t>(printed);
    *end = kept;
    rest = end;
  } while (*rest != '\0');
  perdure_write_bytes(to, text, length + 1);
  return static_cast<ssize_t>(length);
}

}  // namespace

extern "C" {

int perdure_tm_ecvt_r(double number, int digits, int* point, int* sign, char* to, std::size_t size) {
  return convert(number, digits, point, sign, to, size, ecvt_r);
}
int perdure_tm_fcvt_r(double number, int digits, int* point, int* sign, char* to, std::size_t size) {
  return convert(number, digits, point, sign, to, size, fcvt_r);
}
int perdure_tm_qecvt_r(long double number, int digits, int* point, int* sign, char* to, std::size_t size) {
  return convert(number, digits, point, sign, to, size, qecvt_r);
}
int perdure_tm_qfcvt_r(long double number, int digits, int* point, int* sign, char* to, std::size_t size) {
  return convert(number, digits, point, sign, to, size, qfcvt_r);
}
char* perdure_tm_ecvt(double number, int digits, int* point, int* sign) {
  return convert_here(number, digits, point, sign, ecvt_r);
}
char* perdure_tm_fcvt(double number, int digits, int* point, int* sign) {
  return convert_here(number, digits, point, sign, fcvt_r);
}
char* perdure_tm_gcvt(double number, int digits, char* to) { return print_number(number, digits, to, gcvt); }
char* perdure_tm_qgcvt(long double number, int digits, char* to) { return print_number(number, digits, to, qgcvt); }

/// Six bits a character, the lowest first; nothing for 0.
char* perdure_tm_l64a(long number) {
  static constexpr char digits[] = "./0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";
  auto& result = thread_results().long_number;
  std::remove_reference_t<decltype(result)> text{};
  std::size_t length = 0;
  for (auto rest = static_cast<std::uint32_t>(number); rest != 0; rest >>= 6) text[length++] = digits[rest & 63];
  perdure_write_bytes(result.data(), text.data(), text.size());
  return result.data();
}

ssize_t perdure_tm_strfmon(char* to, std::size_t size, const char* format, ...) {
  std::va_list list;
  va_start(list, format);
  const ssize_t result = print_money(to, size, format, list, [](auto... arguments) { return strfmon(arguments...); });
  va_end(list);
  return result;
}
ssize_t perdure_tm_strfmon_l(char* to, std::size_t size, locale_t locale, const char* format, ...) {
  std::va_list list;
  va_start(list, format);
  const ssize_t result =
      print_money(to, size, format, list, [locale](char* text, std::size_t room, const char* part, auto number) {
        return strfmon_l(text, room, locale, part, number);
      });
  va_end(list);
  return result;
}

}  // extern "C"
