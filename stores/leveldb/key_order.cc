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
  return prefix_of(sought.order->bytewise_part(sought.key), skip);
}

std::uint64_t prefix_of(const KeyOrder& order, const Cell* entry, std::uint32_t skip) {
  return prefix_of(order.bytewise_part(key_of(entry)), skip);
}

std::uint32_t common_bytes(const KeyOrder& order, const Cell* low, const Cell* high) {
  if (low == nullptr || high == nullptr) return 0;
  return static_cast<std::uint32_t>(common(order.bytewise_part(key_of(low)), order.bytewise_part(key_of(high))));
}

std::size_t parting_bytes(const KeyOrder& order, const Cell* below, const Cell* above) {
  const std::string_view key = key_of(above);
  const std::size_t bytes = common(key_of(below), key) + 1;
  return bytes < order.bytewise_bytes(key) ? bytes : key.size();
}

}  // namespace perdure::stores
