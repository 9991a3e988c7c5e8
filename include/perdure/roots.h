#ifndef PERDURE_ROOTS_H
#define PERDURE_ROOTS_H

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "perdure/transaction.h"

/// Named roots: where a program finds its objects again in a pool. The table lives in the pool and is changed by
/// ordinary transactions, so making a root is atomic, isolated and durable like everything else.
namespace perdure::roots {

inline constexpr std::size_t max_roots = 255;
inline constexpr std::size_t max_name_length = 63;
inline constexpr std::size_t max_type_name_length = 151;

/// Identifies a type across programs: its size, alignment and name. Two types that differ in any of them are different.
struct Fingerprint {
  std::uint64_t size;
  std::uint64_t alignment;
  std::string_view type_name;
};

/// One root, 256 bytes in the pool. Free when `object` is null.
struct Root {
  void* object;
  std::uint64_t size;
  std::uint64_t alignment;
  std::uint64_t reserved;
  std::array<char, max_name_length + 1> name;            // zero-terminated
  std::array<char, max_type_name_length + 1> type_name;  // zero-terminated, cut when longer
  std::uint64_t type_name_hash;                          // of the whole name
};
static_assert(sizeof(Root) == 256);

/// All roots of a pool, in the first 64 KiB after its header.
struct RootTable {
  std::array<Root, max_roots> roots;
};

/// The name of T as the compiler spells it.
template <class T>
constexpr std::string_view type_name() {
  // "... [T = int]" (clang) or "... [with T = int; ...]" (gcc)
  constexpr std::string_view function = __PRETTY_FUNCTION__;
  constexpr auto begin = function.find("T = ") + 4;
  constexpr auto end = function.find_first_of(";]", begin);
  return function.substr(begin, function.rfind(']') == std::string_view::npos ? end - begin
                                                                              : function.rfind(']') - begin);
}

template <class T>
constexpr Fingerprint fingerprint_of() {
  return {sizeof(T), alignof(T), type_name<T>()};
}

namespace detail {
/// \throws PoolError (Kind::usage) when the name is empty or too long.
void check_name(std::string_view name);
[[noreturn]] void refuse_mismatch(const Root& existing, std::string_view name, const Fingerprint& wanted);
[[noreturn]] void refuse_full(std::string_view name);
std::uint64_t hash(std::string_view text);
}  // namespace detail

// find_or_make is written by the pool library's owner, over a transaction:
//   look for the name; if found, compare fingerprints; otherwise make the object and fill a free slot.
template <class T>
T& find_or_make(RootTable& table, std::string_view name);

}  // namespace perdure::roots

#endif
