// Clones of the memory and string functions of C (libs/abi/provided.def), over the entry points.
#include <algorithm>
#include <array>
#include <cerrno>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <cstring>

#include "abi/entry_points.h"
#include "abi/text_copy.h"
#include "persist/sanitizers.h"

extern "C" std::size_t perdure_tm_strlen(const char* string);

namespace {

constexpr std::size_t block_bytes = 64;
using Block = std::array<unsigned char, block_bytes>;

/// Calls `function(offset, block, bytes)` for copies of [from, from + size), block by block, until it returns true.
template <class Function>
bool any_block(const void* from, std::size_t size, Function&& function) {
  Block block;
  for (std::size_t offset = 0; offset < size; offset += block_bytes) {
    const std::size_t bytes = std::min(block_bytes, size - offset);
    perdure_read_bytes(block.data(), static_cast<const std::byte*>(from) + offset, bytes);
    if (function(offset, block, bytes)) return true;
  }
  return false;
}

char character_at(const char* string, std::size_t index) {
  return static_cast<char>(perdure_read_u8(reinterpret_cast<const std::uint8_t*>(string + index)));
}

/// strcmp and strncmp: byte by byte, because what lies behind a terminator may not be readable.
int compare(const char* left, const char* right, std::size_t limit) {
  for (std::size_t i = 0; i < limit; ++i) {
    const auto a = static_cast<unsigned char>(character_at(left, i));
    const auto b = static_cast<unsigned char>(character_at(right, i));
    if (a != b) return a < b ? -1 : 1;
    if (a == 0) break;
  }
  return 0;
}

/// strtol and the others: `parse(text, end)` on a copy of the text. errno is written like any other variable, because
/// the transaction may have written it before.
template <class Parse>
auto parse_number(const char* text, char** end, Parse&& parse) {
  const perdure::abi::TextCopy copy(text, perdure_tm_strlen(text));
  char* end_in_copy = nullptr;
  const int errno_before = errno;
  errno = 0;
  const auto value = parse(copy.text(), &end_in_copy);
  const int error = errno;
  errno = errno_before;
  if (error != 0) perdure_write_u32(reinterpret_cast<std::uint32_t*>(&errno), static_cast<std::uint32_t>(error));
  if (end != nullptr)
    perdure_write_ptr(reinterpret_cast<void**>(end), const_cast<char*>(text) + (end_in_copy - copy.text()));
  return value;
}

/// Whether one of the word's bytes is 0: the borrow out of a zero byte reaches its high bit.
bool has_zero_byte(std::uint64_t word) { return ((word - 0x0101010101010101U) & ~word & 0x8080808080808080U) != 0; }

}  // namespace

extern "C" {

void* perdure_tm_memcpy(void* to, const void* from, std::size_t size) { return perdure_memcpy(to, from, size); }
void* perdure_tm_memmove(void* to, const void* from, std::size_t size) { return perdure_memmove(to, from, size); }
void* perdure_tm_memset(void* to, int byte, std::size_t size) { return perdure_memset(to, byte, size); }

int perdure_tm_memcmp(const void* left, const void* right, std::size_t size) {
  int result = 0;
  any_block(left, size, [&](std::size_t offset, const Block& of_left, std::size_t bytes) {
    Block of_right;
    perdure_read_bytes(of_right.data(), static_cast<const std::byte*>(right) + offset, bytes);
    result = std::memcmp(of_left.data(), of_right.data(), bytes);
    return result != 0;
  });
  return result;
}

int perdure_tm_bcmp(const void* left, const void* right, std::size_t size) {
  return perdure_tm_memcmp(left, right, size);
}

void* perdure_tm_memchr(const void* from, int byte, std::size_t size) {
  const unsigned char* found = nullptr;
  any_block(from, size, [&](std::size_t offset, const Block& block, std::size_t bytes) {
    const void* const place = std::memchr(block.data(), byte, bytes);
    if (place == nullptr) return false;
    found =
        static_cast<const unsigned char*>(from) + offset + (static_cast<const unsigned char*>(place) - block.data());
    return true;
  });
  return const_cast<unsigned char*>(found);
}

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

int perdure_tm_strcmp(const char* left, const char* right) { return compare(left, right, SIZE_MAX); }
int perdure_tm_strncmp(const char* left, const char* right, std::size_t limit) { return compare(left, right, limit); }

char* perdure_tm_strcpy(char* to, const char* from) {
  perdure_memcpy(to, from, perdure_tm_strlen(from) + 1);
  return to;
}

char* perdure_tm_strncpy(char* to, const char* from, std::size_t limit) {
  std::size_t length = 0;
  while (length < limit && character_at(from, length) != 0) ++length;
  perdure_memcpy(to, from, length);
  perdure_memset(to + length, 0, limit - length);
  return to;
}

long perdure_tm_strtol(const char* text, char** end, int base) {
  return parse_number(text, end, [base](const char* from, char** to) { return std::strtol(from, to, base); });
}
long long perdure_tm_strtoll(const char* text, char** end, int base) {
  return parse_number(text, end, [base](const char* from, char** to) { return std::strtoll(from, to, base); });
}
unsigned long perdure_tm_strtoul(const char* text, char** end, int base) {
  return parse_number(text, end, [base](const char* from, char** to) { return std::strtoul(from, to, base); });
}
unsigned long long perdure_tm_strtoull(const char* text, char** end, int base) {
  return parse_number(text, end, [base](const char* from, char** to) { return std::strtoull(from, to, base); });
}
float perdure_tm_strtof(const char* text, char** end) { return parse_number(text, end, std::strtof); }
double perdure_tm_strtod(const char* text, char** end) { return parse_number(text, end, std::strtod); }
long double perdure_tm_strtold(const char* text, char** end) { return parse_number(text, end, std::strtold); }

}  // extern "C"
