// Clones of the functions between numbers and strings that libc++ keeps in its shared object, and of the one function
// over strings that its headers leave there. Compiled with the plugin.
#include <cerrno>
#include <charconv>
#include <cstdio>
#include <cstdlib>
#include <limits>
#include <stdexcept>
#include <string>

#include "perdure/attributes.h"

namespace perdure::provided {
namespace {

template <class Integer>
std::string text_of(Integer value) {
  char text[std::numeric_limits<Integer>::digits10 + 3];  // one more digit, a sign
  return std::string(text, std::to_chars(text, text + sizeof(text), value).ptr);
}

/// The longest: a sign, the digits before the point, and "." with six behind it.
constexpr std::size_t max_real_text = std::numeric_limits<long double>::max_exponent10 + 10;

/// Reads and writes the caller's frame only. \returns the length.
template <class Real>
PERDURE_PURE int print(char* text, std::size_t size, const char* format, Real value) {
  return std::snprintf(text, size, format, value);
}

template <class Real>
std::string text_of(const char* format, Real value) {
  char text[max_real_text];
  return std::string(text, static_cast<std::size_t>(print(text, sizeof(text), format, value)));
}

/// What std::stol and the others do with the function of C that reads the number.
template <class Number, class Parse>
Number number_in(const std::string& text, std::size_t* length, const char* no_conversion, const char* out_of_range,
                 Parse&& parse) {
  char* end = nullptr;
  const int errno_before = errno;
  errno = 0;
  const Number value = parse(text.c_str(), &end);
  const bool fits = errno != ERANGE;
  errno = errno_before;
  if (end == text.c_str()) throw std::invalid_argument(no_conversion);
  if (!fits) throw std::out_of_range(out_of_range);
  if (length != nullptr) *length = static_cast<std::size_t>(end - text.c_str());
  return value;
}

}  // namespace

[[perdure::implements("_ZNSt3__19to_stringEi")]] std::string to_string(int value) { return text_of(value); }
[[perdure::implements("_ZNSt3__19to_stringEj")]] std::string to_string(unsigned value) { return text_of(value); }
[[perdure::implements("_ZNSt3__19to_stringEl")]] std::string to_string(long value) { return text_of(value); }
[[perdure::implements("_ZNSt3__19to_stringEm")]] std::string to_string(unsigned long value) { return text_of(value); }
[[perdure::implements("_ZNSt3__19to_stringEx")]] std::string to_string(long long value) { return text_of(value); }
[[perdure::implements("_ZNSt3__19to_stringEy")]] std::string to_string(unsigned long long value) {
  return text_of(value);
}
[[perdure::implements("_ZNSt3__19to_stringEf")]] std::string to_string(float value) {
  return text_of("%f", static_cast<double>(value));
}
[[perdure::implements("_ZNSt3__19to_stringEd")]] std::string to_string(double value) { return text_of("%f", value); }
[[perdure::implements("_ZNSt3__19to_stringEe")]] std::string to_string(long double value) {
  return text_of("%Lf", value);
}

[[perdure::implements("_ZNSt3__14stolERKNS_12basic_stringIcNS_11char_traitsIcEENS_9allocatorIcEEEEPmi")]]
long stol(const std::string& text, std::size_t* length, int base) {
  return number_in<long>(text, length, "stol: no conversion", "stol: out of range",
                         [base](const char* from, char** end) { return std::strtol(from, end, base); });
}

[[perdure::implements("_ZNSt3__14stoiERKNS_12basic_stringIcNS_11char_traitsIcEENS_9allocatorIcEEEEPmi")]]
int stoi(const std::string& text, std::size_t* length, int base) {
  const long value = number_in<long>(text, length, "stoi: no conversion", "stoi: out of range",
                                     [base](const char* from, char** end) { return std::strtol(from, end, base); });
  if (value != static_cast<int>(value)) throw std::out_of_range("stoi: out of range");
  return static_cast<int>(value);
}

[[perdure::implements("_ZNSt3__15stoulERKNS_12basic_stringIcNS_11char_traitsIcEENS_9allocatorIcEEEEPmi")]]
unsigned long stoul(const std::string& text, std::size_t* length, int base) {
  return number_in<unsigned long>(text, length, "stoul: no conversion", "stoul: out of range",
                                  [base](const char* from, char** end) { return std::strtoul(from, end, base); });
}

[[perdure::implements("_ZNSt3__15stollERKNS_12basic_stringIcNS_11char_traitsIcEENS_9allocatorIcEEEEPmi")]]
long long stoll(const std::string& text, std::size_t* length, int base) {
  return number_in<long long>(text, length, "stoll: no conversion", "stoll: out of range",
                              [base](const char* from, char** end) { return std::strtoll(from, end, base); });
}

[[perdure::implements("_ZNSt3__16stoullERKNS_12basic_stringIcNS_11char_traitsIcEENS_9allocatorIcEEEEPmi")]]
unsigned long long stoull(const std::string& text, std::size_t* length, int base) {
  return number_in<unsigned long long>(text, length, "stoull: no conversion", "stoull: out of range",
                                       [base](const char* from, char** end) { return std::strtoull(from, end, base); });
}

[[perdure::implements("_ZNSt3__14stofERKNS_12basic_stringIcNS_11char_traitsIcEENS_9allocatorIcEEEEPm")]]
float stof(const std::string& text, std::size_t* length) {
  return number_in<float>(text, length, "stof: no conversion", "stof: out of range",
                          [](const char* from, char** end) { return std::strtof(from, end); });
}

[[perdure::implements("_ZNSt3__14stodERKNS_12basic_stringIcNS_11char_traitsIcEENS_9allocatorIcEEEEPm")]]
double stod(const std::string& text, std::size_t* length) {
  return number_in<double>(text, length, "stod: no conversion", "stod: out of range",
                           [](const char* from, char** end) { return std::strtod(from, end); });
}

[[perdure::implements("_ZNSt3__15stoldERKNS_12basic_stringIcNS_11char_traitsIcEENS_9allocatorIcEEEEPm")]]
long double stold(const std::string& text, std::size_t* length) {
  return number_in<long double>(text, length, "stold: no conversion", "stold: out of range",
                                [](const char* from, char** end) { return std::strtold(from, end); });
}

[[perdure::implements("_ZNSt3__1plIcNS_11char_traitsIcEENS_9allocatorIcEEEENS_12basic_stringIT_T0_T1_EEPKS6_RKS9_")]]
std::string concatenate(const char* left, const std::string& right) {
  std::string result(left);
  result += right;
  return result;
}

}  // namespace perdure::provided
