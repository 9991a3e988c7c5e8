// Clones of the functions of C over blocks of memory (libs/abi/c_library.def), over the entry points.
#include <string.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstddef>

#include "abi/entry_points.h"
#include "c/library/private_memory.h"
#include "c/library/text_functions.h"
#include "c/library/text_reader.h"

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

void* perdure_tm_mempcpy(void* to, const void* from, std::size_t size) {
  return static_cast<std::byte*>(perdure_memcpy(to, from, size)) + size;
}

void* perdure_tm_memrchr(const void* from, int byte, std::size_t size) {
  const auto* const bytes = static_cast<const unsigned char*>(from);
  Block block;
  for (std::size_t rest = size; rest > 0;) {
    const std::size_t count = std::min(block_bytes, rest);
    rest -= count;
    perdure_read_bytes(block.data(), bytes + rest, count);
    if (const void* const place = memrchr(block.data(), byte, count))
      return const_cast<unsigned char*>(bytes) + rest + (static_cast<const unsigned char*>(place) - block.data());
  }
  return nullptr;
}

void* perdure_tm_rawmemchr(const void* from, int byte) {
  perdure::c::TextReader<unsigned char> reader(static_cast<const unsigned char*>(from));
  std::size_t i = 0;
  while (reader[i] != static_cast<unsigned char>(byte)) ++i;
  return static_cast<unsigned char*>(const_cast<void*>(from)) + i;
}

/// Nothing behind the byte that ends the copy is read: there may be nothing.
void* perdure_tm_memccpy(void* to, const void* from, int byte, std::size_t size) {
  perdure::c::TextReader<unsigned char> reader(static_cast<const unsigned char*>(from));
  std::size_t count = 0;
  while (count < size && reader[count] != static_cast<unsigned char>(byte)) ++count;
  const bool is_found = count < size;
  perdure_memcpy(to, from, is_found ? count + 1 : size);
  return is_found ? static_cast<std::byte*>(to) + count + 1 : nullptr;
}

void* perdure_tm_memmem(const void* from, std::size_t size, const void* sought, std::size_t sought_size) {
  if (sought_size > size) return nullptr;
  return perdure::c::find_text(static_cast<const unsigned char*>(from), size, false,
                               static_cast<const unsigned char*>(sought), sought_size);
}

void perdure_tm_bzero(void* to, std::size_t size) { perdure_memset(to, 0, size); }
void perdure_tm_explicit_bzero(void* to, std::size_t size) { perdure_memset(to, 0, size); }
void* perdure_tm_memset_explicit(void* to, int byte, std::size_t size) { return perdure_memset(to, byte, size); }
void perdure_tm_bcopy(const void* from, void* to, std::size_t size) { perdure_memmove(to, from, size); }

void perdure_tm_swab(const void* from, void* to, ssize_t size) {
  if (size <= 0) return;
  perdure::c::PrivateMemory memory;
  const auto bytes = static_cast<std::size_t>(size) / 2 * 2;
  const std::byte* const copy = memory.copy(static_cast<const std::byte*>(from), bytes);
  auto* const swapped = memory.room_for<std::byte>(bytes);
  swab(copy, swapped, size);
  perdure_write_bytes(to, swapped, bytes);
}

}  // extern "C"
