#include "perdure/roots.h"

#include <string>

#include "alloc/heap.h"
#include "pool/fork.h"
#include "pool/refuse.h"

namespace perdure::roots::detail {
namespace {

using Kind = PoolError::Kind;

const pool::Mapping& mapping_of(const RootTable& table) {
  if (pool::is_forked_child()) pool::refuse_in_forked_child();
  return alloc::heap_of(&table)->mapping();
}

const std::filesystem::path& path_of(const RootTable& table) { return mapping_of(table).path(); }

std::string describe(std::string_view type, std::uint64_t size, std::uint64_t alignment) {
  return "'" + std::string(type) + "' (size " + std::to_string(size) + ", alignment " + std::to_string(alignment) + ")";
}

/// A name as messages show it, even one that holds a zero.
std::string quote(std::string_view name) {
  std::string text = "'";
  for (const char character : name) text += character == '\0' ? std::string("\\0") : std::string(1, character);
  return text + "'";
}

}  // namespace

void check_name(const RootTable& table, std::string_view name) {
  const bool good = !name.empty() && name.size() <= max_name_length && name.find('\0') == std::string_view::npos;
  if (!good)
    pool::refuse(Kind::usage, path_of(table),
                 quote(name) + " cannot name a root. Give 1 to " + std::to_string(max_name_length) +
                     " characters, none of them zero.");
}

void refuse_mismatch(const RootTable& table, const Root& existing, std::string_view name, const Fingerprint& wanted) {
  pool::refuse(Kind::root_type_mismatch, path_of(table),
               "the root " + quote(name) + " has type " +
                   describe(existing.type_name.data(), existing.size, existing.alignment) + ", not " +
                   describe(wanted.type_name, wanted.size, wanted.alignment) +
                   ". Ask for the type it was made with, or give the new root another name.");
}

void refuse_full(const RootTable& table, std::string_view name) {
  pool::refuse(Kind::usage, path_of(table),
               "no place for the root " + quote(name) + ": all " + std::to_string(max_roots) +
                   " are taken. Gather objects under a common root.");
}

void refuse_missing(const RootTable& table, std::string_view name) {
  pool::refuse(Kind::no_such_root, path_of(table),
               "there is no root " + quote(name) + ". Pool::list_roots() and `perdure roots` name those there are.");
}

void refuse_taken(const RootTable& table, std::string_view name) {
  pool::refuse(Kind::root_exists, path_of(table),
               "there is a root " + quote(name) + " already. Remove that one first, or give another name.");
}

bool may_make(const RootTable& table) { return !mapping_of(table).read_only(); }

AllocationScope::AllocationScope(const RootTable& table) noexcept : AllocationScope(static_cast<const void*>(&table)) {}

AllocationScope::AllocationScope(const void* inside) noexcept : previous_(alloc::detail::chosen_heap) {
  alloc::Heap* const heap = alloc::heap_of(inside);
  if (heap == nullptr || !heap->is_retired()) alloc::detail::chosen_heap = heap;
}

AllocationScope::~AllocationScope() { alloc::detail::chosen_heap = static_cast<alloc::Heap*>(previous_); }

}  // namespace perdure::roots::detail
