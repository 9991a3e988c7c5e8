#ifndef PERDURE_DISK_BLOCK_MEMORY_H
#define PERDURE_DISK_BLOCK_MEMORY_H

#include <cstddef>
#include <cstring>
#include <memory>
#include <new>

#include "disk/block_file.h"

namespace perdure::disk {

/// Memory at an address that direct input and output takes, zero at first.
class BlockMemory {
 public:
  explicit BlockMemory(std::size_t bytes)
      : bytes_(bytes), data_(static_cast<std::byte*>(::operator new(bytes, std::align_val_t{block_bytes}))) {
    std::memset(data_.get(), 0, bytes);
  }

  std::byte* data() { return data_.get(); }
  const std::byte* data() const { return data_.get(); }
  std::size_t size() const { return bytes_; }

  template <class T>
  T& as(std::size_t offset = 0) {
    return *reinterpret_cast<T*>(data_.get() + offset);
  }

 private:
  struct Free {
    void operator()(std::byte* memory) const { ::operator delete(memory, std::align_val_t{block_bytes}); }
  };

  std::size_t bytes_;
  std::unique_ptr<std::byte, Free> data_;
};

}  // namespace perdure::disk

#endif
