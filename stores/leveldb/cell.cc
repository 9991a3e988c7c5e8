#include "cell.h"

#include <cstring>

namespace perdure::stores {
namespace {

constexpr unsigned bits_of_a_byte =
    7;  // of a size: seven bits a byte, the lowest first; the last one has no eighth bit
constexpr std::size_t more = 1U << bits_of_a_byte;

std::size_t bytes_of_size(std::size_t size) {
  std::size_t bytes = 1;
  while (size >= more) {
    size >>= bits_of_a_byte;
    ++bytes;
  }
  return bytes;
}

char* write_size(char* to, std::size_t size) {
  for (; size >= more; size >>= bits_of_a_byte) *to++ = static_cast<char>(size | more);
  *to++ = static_cast<char>(size);
  return to;
}

std::size_t read_size(const char*& from) {
  std::size_t size = 0;
  for (unsigned shift = 0;; shift += bits_of_a_byte) {
    const auto byte = static_cast<unsigned char>(*from++);
    size |= (byte & (more - 1)) << shift;
    if (byte < more) return size;
  }
}

struct Content {
  std::string_view key, value;
};

Content content_of(const Cell* entry) {
  const char* at = reinterpret_cast<const char*>(entry + 1);
  const std::size_t key_size = read_size(at);
  const std::size_t value_size = read_size(at);
  return {{at, key_size}, {at + key_size, value_size}};
}

}  // namespace

std::string_view key_of(const Cell* entry) { return content_of(entry).key; }
std::string_view value_of(const Cell* entry) { return content_of(entry).value; }

void copy_value(std::string& to, const Cell* entry) { to.assign(value_of(entry)); }

std::size_t entry_bytes(std::size_t key_size, std::size_t value_size) {
  return sizeof(Cell) + bytes_of_size(key_size) + bytes_of_size(value_size) + key_size + value_size;
}

void fill_entry(Cell* entry, const char* key, std::size_t key_size, const char* value, std::size_t value_size) {
  char* at = reinterpret_cast<char*>(entry + 1);
  at = write_size(at, key_size);
  at = write_size(at, value_size);
  if (key_size != 0) std::memcpy(at, key, key_size);
  if (value_size != 0) std::memcpy(at + key_size, value, value_size);
}

}  // namespace perdure::stores
