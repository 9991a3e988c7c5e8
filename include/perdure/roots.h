#ifndef PERDURE_ROOTS_H
#define PERDURE_ROOTS_H

#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

#include "perdure/transaction.h"

/// Named roots: where a program finds its objects again in a pool. The table lives in the pool and is changed by
/// ordinary transactions, so making a root is atomic, isolated and durable like everything else.
namespace perdure::roots {

inline constexpr std::size_t max_roots = 255;             ///< in a pool
inline constexpr std::size_t max_name_length = 63;        ///< characters of a root's name
inline constexpr std::size_t max_type_name_length = 151;  ///< characters that are kept of a type's name

/// Identifies a type across programs: its size, alignment and name. Two types that differ in any of them are different.
struct Fingerprint {
  std::uint64_t size;          ///< in bytes
  std::uint64_t alignment;     ///< in bytes
  std::string_view type_name;  ///< as the compiler spells it
};

/// One root, 256 bytes in the pool. Free when `object` is null.
struct Root {
  void* object;                                          ///< where it lies; null: the root is free
  std::uint64_t size;                                    ///< of the type, in bytes
  std::uint64_t alignment;                               ///< of the type, in bytes
  std::uint64_t reserved;                                ///< 0
  std::array<char, max_name_length + 1> name;            ///< zero-terminated
  std::array<char, max_type_name_length + 1> type_name;  ///< zero-terminated, cut when longer
  std::uint64_t type_name_hash;                          ///< of the whole name
};
static_assert(sizeof(Root) == 256);

/// All roots of a pool, in the first 64 KiB after its header.
struct RootTable {
  std::array<Root, max_roots> roots;  ///< in no particular order
};

/// A root as `list` finds it.
struct RootInfo {
  std::string name;       ///< as it was given when the root was made, or renamed
  std::string type_name;  ///< cut when longer than max_type_name_length
  std::size_t size;       ///< of the type, in bytes
  std::size_t alignment;  ///< of the type, in bytes
};

/// All roots, as of one moment, in no particular order. Not to be called in a transaction.
std::vector<RootInfo> list(const RootTable& table);

/// Gives the root `from` the name `to`, in a transaction. See Pool::rename_root.
/// \throws PoolError: Kind::no_such_root; Kind::root_exists when another root is named `to`; Kind::usage when `to`
/// cannot name a root.
void rename(RootTable& table, std::string_view from, std::string_view to);

/// Removes the root `name` and frees its object's block, in a transaction; no destructor runs. See Pool::drop_root.
/// \returns false when there is no such root.
bool drop(RootTable& table, std::string_view name);

/// The name of T as the compiler spells it: the same in every program that the same compiler makes.
template <class T>
constexpr std::string_view type_name() {
  // "... [T = int]" (clang) or "... [with T = int; std::string_view = ...]" (gcc)
  constexpr std::string_view function = __PRETTY_FUNCTION__;
  constexpr auto begin = function.find("T = ") + 4;
  constexpr auto alias = function.rfind("; std::string_view = ");
  constexpr auto end = alias == std::string_view::npos ? function.rfind(']') : alias;
  return function.substr(begin, end - begin);
}

/// What a root of type T is told by.
template <class T>
constexpr Fingerprint fingerprint_of() {
  return {sizeof(T), alignof(T), type_name<T>()};
}

namespace detail {

/// FNV-1a, 64 bits.
constexpr std::uint64_t hash(std::string_view text) {
  std::uint64_t result = 0xcbf29ce484222325;
  for (const char character : text) result = (result ^ static_cast<unsigned char>(character)) * 0x100000001b3;
  return result;
}

/// \throws PoolError (Kind::usage) when the name is empty, too long or holds a zero.
void check_name(const RootTable& table, std::string_view name);
[[noreturn]] void refuse_mismatch(const RootTable& table, const Root& existing, std::string_view name,
                                  const Fingerprint& wanted);
/// Whether roots can be made: not in a pool that is open for reading.
bool may_make(const RootTable& table);
[[noreturn]] void refuse_full(const RootTable& table, std::string_view name);
[[noreturn]] void refuse_missing(const RootTable& table, std::string_view name);
[[noreturn]] void refuse_taken(const RootTable& table, std::string_view name);

/// While it lives, transactions of this thread allocate in the pool that `table` belongs to, whichever other pools are
/// open: a root must not point into another pool.
class AllocationScope {
 public:
  explicit AllocationScope(const RootTable& table) noexcept;
  /// The same for whatever lies in the pool.
  explicit AllocationScope(const void* inside) noexcept;
  AllocationScope(const AllocationScope&) = delete;
  AllocationScope& operator=(const AllocationScope&) = delete;
  ~AllocationScope();

 private:
  void* previous_;
};

/// What a look at the table comes to. All null: there is no such root, and none could be made.
struct Outcome {
  void* object = nullptr;          ///< the root's object
  const Root* mismatch = nullptr;  ///< the root of that name, which has another type
};

// What follows runs in transactions, compiled with the user's code: plain loops over what the transaction reads, and
// no call that leaves this header but memcmp and memcpy.

inline bool has_name(const Root& root, std::string_view name) {
  return root.object != nullptr && std::memcmp(root.name.data(), name.data(), name.size()) == 0 &&
         root.name.data()[name.size()] == '\0';
}

inline bool has_type(const Root& root, const Fingerprint& type, std::uint64_t type_name_hash) {
  return root.size == type.size && root.alignment == type.alignment && root.type_name_hash == type_name_hash;
}

/// \returns the root of that name, or null.
inline Root* find(RootTable& table, std::string_view name) {
  Root* const end = table.roots.data() + max_roots;
  for (Root* root = table.roots.data(); root != end; ++root)
    if (has_name(*root, name)) return root;
  return nullptr;
}

inline void copy_text(char* to, std::string_view from, std::size_t limit) {
  const std::size_t length = from.size() < limit ? from.size() : limit;
  std::memcpy(to, from.data(), length);
  to[length] = '\0';
}

inline void fill(Root& root, void* object, std::string_view name, const Fingerprint& type,
                 std::uint64_t type_name_hash) {
  root.object = object;
  root.size = type.size;
  root.alignment = type.alignment;
  root.type_name_hash = type_name_hash;
  copy_text(root.name.data(), name, max_name_length);
  copy_text(root.type_name.data(), type.type_name, max_type_name_length);
}

inline Outcome find_of_type(RootTable& table, std::string_view name, const Fingerprint& wanted,
                            std::uint64_t type_name_hash) {
  const Root* const root = find(table, name);
  if (root == nullptr) return {};
  return has_type(*root, wanted, type_name_hash) ? Outcome{root->object, nullptr} : Outcome{nullptr, root};
}

inline Root* find_free(RootTable& table) {
  Root* const end = table.roots.data() + max_roots;
  for (Root* root = table.roots.data(); root != end; ++root)
    if (root->object == nullptr) return root;
  return nullptr;
}

template <class Make>
Outcome find_or_make_in_transaction(RootTable& table, std::string_view name, const Fingerprint& wanted,
                                    std::uint64_t type_name_hash, Make make) {
  const Outcome found = find_of_type(table, name, wanted, type_name_hash);
  if (found.object != nullptr || found.mismatch != nullptr) return found;
  Root* const free = find_free(table);
  if (free == nullptr) return {};
  void* const object = make();
  fill(*free, object, name, wanted, type_name_hash);
  return {object, nullptr};
}

/// \param type_name_hash  hash(wanted.type_name)
/// \param make  in a transaction: a new object
template <class Make>
void* find_or_make(RootTable& table, std::string_view name, const Fingerprint& wanted, std::uint64_t type_name_hash,
                   Make make) {
  check_name(table, name);
  const bool may_be_made = may_make(table);
  const AllocationScope scope(table);
  const Outcome outcome = execute([&] {
    return may_be_made ? find_or_make_in_transaction(table, name, wanted, type_name_hash, make)
                       : find_of_type(table, name, wanted, type_name_hash);
  });
  // Refused only now: the transaction has ended, and these throw.
  if (outcome.mismatch != nullptr) refuse_mismatch(table, *outcome.mismatch, name, wanted);
  if (outcome.object == nullptr && !may_be_made) refuse_missing(table, name);
  if (outcome.object == nullptr) refuse_full(table, name);
  return outcome.object;
}

enum class Making : std::uint8_t { done, taken, full };

template <class Make>
Making make_in_transaction(RootTable& table, std::string_view name, const Fingerprint& type,
                           std::uint64_t type_name_hash, void*& object, Make make) {
  if (find(table, name) != nullptr) return Making::taken;
  Root* const free = find_free(table);
  if (free == nullptr) return Making::full;
  object = make();
  fill(*free, object, name, type, type_name_hash);
  return Making::done;
}

/// Removes the root before its object is destroyed: what the destructor does sees a root table without it.
template <class Destroy>
Outcome remove_in_transaction(RootTable& table, std::string_view name, const Fingerprint& wanted,
                              std::uint64_t type_name_hash, Destroy destroy) {
  Root* const root = find(table, name);
  if (root == nullptr) return {};
  if (!has_type(*root, wanted, type_name_hash)) return {nullptr, root};
  void* const object = root->object;
  root->object = nullptr;
  destroy(object);
  return {object, nullptr};
}

}  // namespace detail

/// The object of the root `name`, found in a transaction. See Pool::find_root.
/// \param table  of an open pool.
/// \param name  1 to max_name_length characters.
/// \returns null when there is no such root.
/// \throws PoolError: Kind::root_type_mismatch if it was made with another type; Kind::usage when the name is empty or
/// too long.
template <class T>
T* find(RootTable& table, std::string_view name) {
  constexpr Fingerprint wanted = fingerprint_of<T>();
  constexpr std::uint64_t type_name_hash = detail::hash(wanted.type_name);
  detail::check_name(table, name);
  const detail::Outcome outcome = execute([&] { return detail::find_of_type(table, name, wanted, type_name_hash); });
  if (outcome.mismatch != nullptr) detail::refuse_mismatch(table, *outcome.mismatch, name, wanted);
  return static_cast<T*>(outcome.object);
}

/// Removes the root `name` and destroys its object by `delete`, in one transaction. See Pool::remove_root.
/// \returns false when there is no such root.
/// \throws PoolError like `find`.
template <class T>
bool remove(RootTable& table, std::string_view name) {
  constexpr Fingerprint wanted = fingerprint_of<T>();
  constexpr std::uint64_t type_name_hash = detail::hash(wanted.type_name);
  detail::check_name(table, name);
  const detail::Outcome outcome = execute([&] {
    return detail::remove_in_transaction(table, name, wanted, type_name_hash,
                                         [](void* object) { delete static_cast<T*>(object); });
  });
  if (outcome.mismatch != nullptr) detail::refuse_mismatch(table, *outcome.mismatch, name, wanted);
  return outcome.object != nullptr;
}

/// Makes the root `name` of what `make` returns, in one transaction.
/// \param make  in a transaction: a new object of that type.
/// \returns the object.
/// \throws PoolError: Kind::root_exists when there is such a root; Kind::usage when the name is empty or too long, or
/// all roots are taken; Kind::no_such_root in a pool that is open for reading.
template <class Make>
void* make(RootTable& table, std::string_view name, const Fingerprint& type, Make make) {
  const std::uint64_t type_name_hash = detail::hash(type.type_name);
  detail::check_name(table, name);
  if (!detail::may_make(table)) detail::refuse_missing(table, name);
  const detail::AllocationScope scope(table);
  void* object = nullptr;
  const detail::Making making =
      execute([&] { return detail::make_in_transaction(table, name, type, type_name_hash, object, make); });
  if (making == detail::Making::taken) detail::refuse_taken(table, name);
  if (making == detail::Making::full) detail::refuse_full(table, name);
  return object;
}

/// The object of the root `name`, made by `new T()` in a transaction on first use. See Pool::root.
/// \throws PoolError like `find`, and Kind::usage when all roots are taken, Kind::no_such_root where none can be made
/// (in a pool that is open for reading); `std::bad_alloc` when the pool is full.
template <class T>
T& find_or_make(RootTable& table, std::string_view name) {
  constexpr Fingerprint wanted = fingerprint_of<T>();
  constexpr std::uint64_t type_name_hash = detail::hash(wanted.type_name);
  return *static_cast<T*>(detail::find_or_make(table, name, wanted, type_name_hash, [] { return new T(); }));
}

}  // namespace perdure::roots

#endif
