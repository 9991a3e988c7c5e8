#ifndef PERDURE_LOG_VALUE_LOG_H
#define PERDURE_LOG_VALUE_LOG_H

#include <cstdint>

#include "log/growing_array.h"
#include "log/shared_memory.h"

namespace perdure::log {

/// What a transaction read, and where, for algorithms that validate reads by value.
class ValueLog {
 public:
  constexpr ValueLog() = default;

  template <class T>
  void add(const T* address, T value) {
    reads_.push_back({reinterpret_cast<std::uintptr_t>(address), value, sizeof(T)});
  }

  bool is_unchanged() const {
    for (const Read& read : reads_)
      if (current(read) != read.value) return false;
    return true;
  }

  template <class Function>
  void for_each_address(Function&& function) const {
    for (const Read& read : reads_) function(read.address);
  }

  void clear() { reads_.clear(); }
  void release() { reads_.release(); }

 private:
  struct Read {
    std::uintptr_t address;
    std::uint64_t value;
    std::size_t bytes;
  };

  static std::uint64_t current(const Read& read) {
    switch (read.bytes) {
      case 1:
        return load_shared(reinterpret_cast<const std::uint8_t*>(read.address));
      case 2:
        return load_shared(reinterpret_cast<const std::uint16_t*>(read.address));
      case 4:
        return load_shared(reinterpret_cast<const std::uint32_t*>(read.address));
      default:
        return load_shared(reinterpret_cast<const std::uint64_t*>(read.address));
    }
  }

  GrowingArray<Read> reads_;
};

}  // namespace perdure::log

#endif
