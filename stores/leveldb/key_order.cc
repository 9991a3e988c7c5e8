#include "key_order.h"

#include <algorithm>
#include <cstring>

namespace perdure::stores {
namespace {

std::uint64_t prefix_of(std::string_view key, std::uint32_t skip) {
  if (key.size() >= skip + sizeof(std::uint64_t)) [[likely]] {
    std::uint64_t word = 0;
    std::memcpy(&word, key.data() + skip, sizeof word);
    return __builtin_bswap64(word);
  }
  std::uint64_t prefix = 0;
  for (std::size_t i = 0; i < sizeof prefix; ++i) {
    const std::size_t at = skip + i;
    prefix = prefix << 8 | (at < key.size() ? static_cast<unsigned char>(key[at]) : 0);
  }
  return prefix;
}

std::size_t common(std::string_view left, std::string_view right) {
  const std::size_t limit = std::min(left.size(), right.size());
  return static_cast<std::size_t>(std::mismatch(left.begin(), left.begin() + limit, right.begin()).first -
                                  left.begin());
}

}  // namespace

int compare(const Sought& sought, const Cell* entry) { return sought.order->compare_keys(sought.key, key_of(entry)); }

std::uint64_t prefix_of(const Sought& sought, std::uint32_t skip) {
  return sought.order->is_bytewise ? prefix_of(sought.key, skip) : 0;
}

std::uint64_t prefix_of(const KeyOrder& order, const Cell* entry, std::uint32_t skip) {
  return order.is_bytewise ? prefix_of(key_of(entry), skip) : 0;
}

std::uint32_t common_bytes(const KeyOrder& order, const Cell* low, const Cell* high) {
  if (!order.is_bytewise || low == nullptr || high == nullptr) return 0;
  return static_cast<std::uint32_t>(common(key_of(low), key_of(high)));
}

std::size_t parting_bytes(const KeyOrder& order, const Cell* below, const Cell* above) {
  const std::string_view key = key_of(above);
  return order.is_bytewise ? common(key_of(below), key) + 1 : key.size();
}

}  // namespace perdure::stores
