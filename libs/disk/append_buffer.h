#ifndef PERDURE_DISK_APPEND_BUFFER_H
#define PERDURE_DISK_APPEND_BUFFER_H

#include <algorithm>
#include <atomic>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>

#include "disk/group.h"

namespace perdure::disk {

/// The end of the stream of records, in memory: a ring that many threads append to, and one at a time takes from.
///
/// A thread reserves its place by one fetch_add, copies the record there, and publishes it by storing its head last.
/// Whoever takes follows the heads up to the first that is not there yet, copies out, and clears: so a head is 0 until
/// its record is whole.
class AppendBuffer {
 public:
  AppendBuffer(std::size_t bytes, std::uint64_t position)
      : mask_(std::bit_ceil(bytes) - 1),
        memory_(std::make_unique<std::uint64_t[]>(size() / sizeof(std::uint64_t))),
        reserved_(position),
        released_(position) {}

  std::size_t size() const { return mask_ + 1; }

  // -- for those who append --

  /// \returns the record's position.
  std::uint64_t reserve(std::size_t bytes) { return reserved_.fetch_add(bytes, std::memory_order_relaxed); }
  /// Acquire: pairs with `release`, so that what was there has been cleared.
  bool has_room(std::uint64_t end) const { return end - released_.load(std::memory_order_acquire) <= size(); }

  void put(std::uint64_t position, const void* data, std::size_t bytes) {
    const std::size_t begin = position & mask_;
    const std::size_t here = std::min(bytes, size() - begin);
    std::memcpy(bytes_at(begin), data, here);
    std::memcpy(bytes_at(0), static_cast<const std::byte*>(data) + here, bytes - here);
  }
  /// Release: who sees the head sees the record.
  void publish(std::uint64_t position, std::uint64_t head) {
    std::atomic_ref(word_at(position)).store(head, std::memory_order_release);
  }

  /// Everything up to here is appended or being appended.
  std::uint64_t reserved() const { return reserved_.load(std::memory_order_acquire); }
  std::uint64_t released() const { return released_.load(std::memory_order_acquire); }

  // -- for the one who takes --

  /// Follows whole records from `record` until one ends at or behind `enough`.
  /// \returns where the last one ends.
  std::uint64_t published_from(std::uint64_t record, std::uint64_t enough) {
    const std::uint64_t end = std::min(reserved(), released() + size());
    while (record < end && record < enough) {
      const std::uint64_t head = std::atomic_ref(word_at(record)).load(std::memory_order_acquire);
      if (head == 0) break;
      record += record_bytes(head);
    }
    return record;
  }

  void take(std::uint64_t from, std::uint64_t to, std::byte* copy) {
    const std::size_t begin = from & mask_;
    const std::size_t bytes = to - from;
    const std::size_t here = std::min(bytes, size() - begin);
    std::memcpy(copy, bytes_at(begin), here);
    std::memcpy(copy + here, bytes_at(0), bytes - here);
    std::memset(bytes_at(begin), 0, here);
    std::memset(bytes_at(0), 0, bytes - here);
    released_.store(to, std::memory_order_release);
  }

 private:
  std::uint64_t& word_at(std::uint64_t position) { return memory_[(position & mask_) / sizeof(std::uint64_t)]; }
  std::byte* bytes_at(std::size_t offset) { return reinterpret_cast<std::byte*>(memory_.get()) + offset; }

  std::size_t mask_;
  std::unique_ptr<std::uint64_t[]> memory_;
  alignas(64) std::atomic<std::uint64_t> reserved_;
  alignas(64) std::atomic<std::uint64_t> released_;  // what lies before may be written over
};

}  // namespace perdure::disk

#endif
