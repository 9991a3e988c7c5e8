#ifndef PERDURE_STORES_ROCKSDB_FAMILY_KEY_H
#define PERDURE_STORES_ROCKSDB_FAMILY_KEY_H

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

/// How the keys of all column families lie in one tree: each begins with four bytes that say whose it is. So a batch
/// over several families is one transaction like any other, and a snapshot or a checkpoint is of all of them, with
/// nothing that a tree for each would need: a list of trees in the pool, old versions and open batches by tree, and
/// transactions to make and drop them. A leaf does not keep those bytes again for each key (key_order.h).
namespace perdure::stores::rocksdb {

using FamilyId = std::uint32_t;

inline constexpr std::size_t prefix_bytes = 4;

/// Four bytes, the highest first: in the order of bytes as in that of numbers.
inline std::string bytes_of(std::uint32_t number) {
  std::string bytes;
  for (int shift = 24; shift >= 0; shift -= 8) bytes.push_back(static_cast<char>(number >> shift & 0xff));
  return bytes;
}
inline std::uint32_t number_in(std::string_view bytes) {
  std::uint32_t number = 0;
  for (std::size_t i = 0; i < prefix_bytes; ++i) number = number << 8 | static_cast<unsigned char>(bytes[i]);
  return number;
}

/// The prefix of a family's keys: an even number, and so not that of its bounds, which are keys of no family. 0 is the
/// registry's (families.h).
class FamilyPrefix {
 public:
  FamilyPrefix(FamilyId id, bool has_comparator)
      : number_((id + 1) << id_shift | (has_comparator ? comparator_bit : 0)) {}

  std::string begin() const { return bytes_of(number_ - 1); }  ///< before all keys of the family
  std::string end() const { return bytes_of(number_ + 1); }    ///< behind them
  std::string key(std::string_view key) const { return bytes_of(number_).append(key); }

  static std::string_view without(std::string_view key) { return key.substr(prefix_bytes); }

  /// Whose key this is, if its family has a comparator.
  static std::optional<FamilyId> id_with_comparator(std::string_view key) {
    if (key.size() < prefix_bytes) return std::nullopt;
    const std::uint32_t number = number_in(key);
    if ((number & (comparator_bit | 1U)) != comparator_bit) return std::nullopt;
    return (number >> id_shift) - 1;
  }

 private:
  static constexpr unsigned id_shift = 2;
  static constexpr std::uint32_t comparator_bit = 2;

  std::uint32_t number_;
};

}  // namespace perdure::stores::rocksdb

#endif
