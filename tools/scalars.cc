#include "scalars.h"

#include <array>
#include <charconv>
#include <cmath>
#include <cstring>

namespace perdure::tools {
namespace {

std::uint64_t lowest(std::uint64_t bits, std::uint64_t count) {
  return count < 64 ? bits & ((std::uint64_t{1} << count) - 1) : bits;
}

std::int64_t extend_sign(std::uint64_t bits, std::uint64_t count) {
  const std::uint64_t unused = 64 - count;
  return static_cast<std::int64_t>(bits << unused) >> unused;
}

bool is_signed(std::uint64_t encoding) { return encoding == DW_ATE_signed || encoding == DW_ATE_signed_char; }

Document read_enumeration(const Die& type, std::uint64_t bits, std::uint64_t count) {
  Document value{{"value", bits}};
  const std::optional<Die> underlying = type_of(type);
  if (underlying && is_signed(number_of(*underlying, DW_AT_encoding).value_or(0)))
    value["value"] = extend_sign(bits, count);
  for (const Die& enumerator : children_of(type)) {
    const auto number = signed_number_of(enumerator, DW_AT_const_value);
    // Compilers differ in how they extend a number that does not fill its form.
    if (number && lowest(static_cast<std::uint64_t>(*number), count) == bits)
      return {{"value", value["value"]}, {"enumerator", name_of(enumerator)}};
  }
  return value;
}

Document read_character(std::int64_t value) {
  if (value < ' ' || value > '~') return {{"value", value}};
  return {{"value", value}, {"character", std::string(1, static_cast<char>(value))}};
}

template <class Float>
Document read_float(Bytes bytes) {
  Float value = 0;
  std::memcpy(&value, bytes.data(), sizeof value);
  std::array<char, 64> text{};
  std::to_chars(text.data(), text.data() + text.size() - 1, value);
  // The shortest number that is this one in its type.
  const double number = std::strtod(text.data(), nullptr);
  if (!std::isfinite(number)) return {{"number", text.data()}};  // JSON has no such numbers
  return {{"value", number}};
}

}  // namespace

std::uint64_t bits_of(Bytes bytes, std::uint64_t first, std::uint64_t count) {
  std::uint64_t bits = 0;
  for (std::uint64_t i = 0; i < count; ++i) {
    const std::uint64_t position = first + i;
    const auto bit = static_cast<std::uint64_t>(bytes[position / 8] >> (position % 8) & std::byte{1});
    bits |= bit << i;
  }
  return bits;
}

Document read_bits(const Die& type, std::uint64_t bits, std::uint64_t count) {
  if (tag_of(type) == DW_TAG_enumeration_type) return read_enumeration(type, bits, count);
  const std::uint64_t encoding = number_of(type, DW_AT_encoding).value_or(0);
  if (encoding == DW_ATE_boolean && bits <= 1) return {{"value", bits == 1}};
  if (is_character(type)) return read_character(extend_sign(bits, count));
  if (is_signed(encoding)) return {{"value", extend_sign(bits, count)}};
  return {{"value", bits}};
}

Document read_scalar(const Die& type, Bytes bytes) {
  const bool is_float = number_of(type, DW_AT_encoding) == DW_ATE_float;
  if (is_float && bytes.size() == sizeof(float)) return read_float<float>(bytes);
  if (is_float && bytes.size() == sizeof(double)) return read_float<double>(bytes);
  if (name_of(type) == "long double" && bytes.size() == sizeof(long double)) return read_float<long double>(bytes);
  const bool fits = !is_float && !bytes.empty() && bytes.size() <= sizeof(std::uint64_t);
  if (!fits) return {{"bytes", spell_hexadecimal(bytes)}};
  return read_bits(type, bits_of(bytes, 0, 8 * bytes.size()), 8 * bytes.size());
}

bool is_character(const Die& type) {
  return tag_of(type) == DW_TAG_base_type && (name_of(type) == "char" || name_of(type) == "char8_t");
}

std::string read_text(Bytes bytes) {
  std::string text(reinterpret_cast<const char*>(bytes.data()), bytes.size());
  text.erase(text.find_last_not_of('\0') + 1);
  return text;
}

}  // namespace perdure::tools
