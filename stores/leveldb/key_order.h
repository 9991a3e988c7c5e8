#ifndef PERDURE_STORES_LEVELDB_KEY_ORDER_H
#define PERDURE_STORES_LEVELDB_KEY_ORDER_H

#include <cstddef>
#include <cstdint>
#include <string_view>

#include "cell.h"

namespace perdure::stores {

/// How keys are ordered: as bytes, or as somebody's comparator says, which is called on private or immutable bytes
/// only. Such an order may yet begin with bytes: keys that differ there are ordered by them, and a key that ends there
/// comes before all that go on from it.
struct KeyOrder {
  bool is_bytewise = true;
  int (*compare)(const void* context, std::string_view left, std::string_view right) = nullptr;  ///< unless bytewise
  const void* context = nullptr;
  /// How many of a key's first bytes come before the comparator; null: none. It is the same for all keys that have
  /// those bytes in common, and the comparator never sees less of a key than that.
  std::size_t (*count_bytewise)(std::string_view key) = nullptr;

  int compare_keys(std::string_view left, std::string_view right) const {
    return is_bytewise ? left.compare(right) : compare(context, left, right);
  }
  std::size_t bytewise_bytes(std::string_view key) const {
    if (is_bytewise) return std::string_view::npos;
    return count_bytewise == nullptr ? 0 : count_bytewise(key);
  }
  std::string_view bytewise_part(std::string_view key) const { return key.substr(0, bytewise_bytes(key)); }
};

/// A key that is looked for. It lies in private memory, and only functions that are called as they are read it.
struct Sought {
  const KeyOrder* order;
  std::string_view key;
};

/// Below, equal to or above zero: as the key that is sought lies before, at or behind the entry's.
PERDURE_PURE int compare(const Sought& sought, const Cell* entry);

/// Nodes keep eight bytes of each key, behind those that all keys have in common that may come into the node: as one
/// number, which is compared first. Bytes that only the comparator orders count as 0.
PERDURE_PURE std::uint64_t prefix_of(const Sought& sought, std::uint32_t skip);
PERDURE_PURE std::uint64_t prefix_of(const KeyOrder& order, const Cell* entry, std::uint32_t skip);

/// How many bytes all keys between the two have in common: 0 where one of them is null, or in another order.
PERDURE_PURE std::uint32_t common_bytes(const KeyOrder& order, const Cell* low, const Cell* high);

/// How many bytes of `above` it takes to part it from the smaller key `below`: all in another order.
PERDURE_PURE std::size_t parting_bytes(const KeyOrder& order, const Cell* below, const Cell* above);

}  // namespace perdure::stores

#endif
