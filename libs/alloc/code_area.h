#ifndef PERDURE_ALLOC_CODE_AREA_H
#define PERDURE_ALLOC_CODE_AREA_H

#include <bitset>
#include <cstddef>
#include <cstdint>
#include <span>

#include "pool/format.h"

namespace perdure::alloc {

/// The memory behind a pool's code addresses: no part of the file, and made anew in each process. Places are offsets in
/// it, the same wherever the pool is.
///
///   0       tables of virtual functions, constants and texts, as large as the names say
///   32 MiB  functions, of 16 bytes: each jumps to what its target says
///   48 MiB  targets of these, of 16 bytes, in the same order
///
/// Tables and targets can be read, functions executed. Who fills a page writes to it for a moment; what is used already
/// on that page stays as it is meanwhile. Not thread-safe: guarded by `code_mutex`.
class CodeArea {
 public:
  static constexpr std::uint32_t functions = 32 << 20;
  static constexpr std::uint32_t targets = 48 << 20;
  static constexpr std::uint32_t function_bytes = 16;
  static_assert(pool::code_area_bytes == 64 << 20);

  explicit CodeArea(std::byte* begin) : begin_(begin) {}

  std::uintptr_t address(std::uint32_t place) const noexcept {
    return reinterpret_cast<std::uintptr_t>(begin_) + place;
  }
  std::uint32_t place_of(std::uintptr_t address) const noexcept {
    return static_cast<std::uint32_t>(address - reinterpret_cast<std::uintptr_t>(begin_));
  }

  void put_table(std::uint32_t place, std::span<const std::uintptr_t> words) noexcept;
  void put_function(std::uint32_t place, const void* target) noexcept;

 private:
  static constexpr std::size_t pages = pool::code_area_bytes / pool::page_bytes;

  void write(std::uint32_t place, const void* from, std::size_t bytes) noexcept;
  void make_functions(std::size_t page) noexcept;
  void make_readable(std::size_t page) noexcept;

  std::byte* begin_;
  std::bitset<pages> mapped_;
};

}  // namespace perdure::alloc

#endif
