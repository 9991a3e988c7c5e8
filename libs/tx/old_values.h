#ifndef PERDURE_TX_OLD_VALUES_H
#define PERDURE_TX_OLD_VALUES_H

#include <cstddef>
#include <cstdint>

#include "log/growing_array.h"

namespace perdure::tx {

/// What the nested parts of a transaction have overwritten, in the order in which they did: as the transaction saw it,
/// wherever its algorithm keeps that.
class OldValues {
 public:
  constexpr OldValues() = default;

  template <class T>
  void note(T* address, T value) {
    values_.push_back({address, value, sizeof(T)});
  }

  std::size_t size() const { return values_.size(); }

  /// Calls `write(address, value)` for those that came since there were `count`, newest first, so that of several
  /// values of a location the oldest wins; and forgets them.
  template <class Write>
  void write_back_since(std::size_t count, Write&& write) {
    while (values_.size() > count) {
      const Old old = values_.back();
      values_.pop_back();
      with_type(old, write);
    }
  }

  /// Forgets those that came since there were `count` for which `is_needless(address)`.
  template <class Test>
  void forget_since(std::size_t count, Test&& is_needless) {
    std::size_t kept = count;
    for (std::size_t i = count; i < values_.size(); ++i)
      if (!is_needless(values_[i].address)) values_[kept++] = values_[i];
    while (values_.size() > kept) values_.pop_back();
  }

  void clear() { values_.clear(); }
  void release() { values_.release(); }

 private:
  struct Old {
    void* address;
    std::uint64_t value;
    std::size_t bytes;
  };

  template <class Write>
  static void with_type(const Old& old, Write& write) {
    switch (old.bytes) {
      case 1:
        return write(static_cast<std::uint8_t*>(old.address), static_cast<std::uint8_t>(old.value));
      case 2:
        return write(static_cast<std::uint16_t*>(old.address), static_cast<std::uint16_t>(old.value));
      case 4:
        return write(static_cast<std::uint32_t*>(old.address), static_cast<std::uint32_t>(old.value));
      default:
        return write(static_cast<std::uint64_t*>(old.address), old.value);
    }
  }

  log::GrowingArray<Old> values_;
};

}  // namespace perdure::tx

#endif
