#include "alloc/code_area.h"

#include <sys/mman.h>

#include <array>
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>

namespace perdure::alloc {
namespace {

[[noreturn]] void stop(const char* what) {
  std::fprintf(stderr, "perdure: %s for the code addresses of a pool: %s. Give the process more memory%s\n", what,
               std::strerror(errno), ", and allow it to execute what it has mapped.");
  std::abort();
}

void protect(std::byte* page, std::size_t bytes, int access) {
  if (mprotect(page, bytes, access) != 0) stop("memory cannot be protected");
}

void map(std::byte* page) {
  constexpr int kind = MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED;
  if (mmap(page, pool::page_bytes, PROT_READ | PROT_WRITE, kind, -1, 0) == MAP_FAILED) stop("there is no memory");
}

/// `endbr64; jmp *distance(%rip)`. The distance is from the end of the jump.
constexpr std::array<std::uint8_t, CodeArea::function_bytes> make_jump() {
  constexpr std::size_t end = 10;
  constexpr std::uint32_t distance = CodeArea::targets - CodeArea::functions - end;
  std::array<std::uint8_t, CodeArea::function_bytes> bytes = {0xf3, 0x0f, 0x1e, 0xfa, 0xff, 0x25};
  for (unsigned i = 0; i < 4; ++i) bytes[6 + i] = static_cast<std::uint8_t>(distance >> (8 * i));
  for (std::size_t i = end; i < bytes.size(); ++i) bytes[i] = 0xcc;
  return bytes;
}

}  // namespace

void CodeArea::put_table(std::uint32_t place, std::span<const std::uintptr_t> words) noexcept {
  write(place, words.data(), words.size_bytes());
}

void CodeArea::put_function(std::uint32_t place, const void* target) noexcept {
  write(place - functions + targets, &target, sizeof target);
  make_functions(place / pool::page_bytes);
}

void CodeArea::write(std::uint32_t place, const void* from, std::size_t bytes) noexcept {
  const std::size_t first = place / pool::page_bytes;
  const std::size_t end = (place + bytes - 1) / pool::page_bytes + 1;
  for (std::size_t page = first; page < end; ++page) {
    if (!mapped_[page]) map(begin_ + page * pool::page_bytes);
    mapped_.set(page);
  }
  std::byte* const pages_begin = begin_ + first * pool::page_bytes;
  protect(pages_begin, (end - first) * pool::page_bytes, PROT_READ | PROT_WRITE);
  // Word by word, since others may be calling through what is replaced (a library that comes or goes).
  auto* const target = reinterpret_cast<std::uintptr_t*>(begin_ + place);
  for (std::size_t i = 0; i < bytes / sizeof(std::uintptr_t); ++i)
    __atomic_store_n(target + i, static_cast<const std::uintptr_t*>(from)[i], __ATOMIC_RELEASE);
  protect(pages_begin, (end - first) * pool::page_bytes, PROT_READ);
}

/// All functions of a page are the same, so it is written once, before any of them has a user.
void CodeArea::make_functions(std::size_t page) noexcept {
  if (mapped_[page]) return;
  constexpr auto jump = make_jump();
  std::byte* const begin = begin_ + page * pool::page_bytes;
  map(begin);
  for (std::size_t offset = 0; offset < pool::page_bytes; offset += jump.size())
    std::memcpy(begin + offset, jump.data(), jump.size());
  protect(begin, pool::page_bytes, PROT_READ | PROT_EXEC);
  mapped_.set(page);
  // Who looks before a function for its type (-fsanitize=function) finds that there is none.
  if (page * pool::page_bytes == functions) make_readable(page - 1);
}

void CodeArea::make_readable(std::size_t page) noexcept {
  if (mapped_[page]) return;
  map(begin_ + page * pool::page_bytes);
  protect(begin_ + page * pool::page_bytes, pool::page_bytes, PROT_READ);
  mapped_.set(page);
}

}  // namespace perdure::alloc
