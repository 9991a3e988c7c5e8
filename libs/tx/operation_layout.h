#ifndef PERDURE_TX_OPERATION_LAYOUT_H
#define PERDURE_TX_OPERATION_LAYOUT_H

#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>

#include "abi/operation_frame.h"

namespace perdure::tx {

/// Where the copies lie of the locals of a portable operation (docs/abi.md): one behind the other, each aligned.
class OperationLayout {
 public:
  /// Those that are larger cost more to copy than another thread saves.
  static constexpr std::size_t most_bytes = 2048;
  static constexpr std::size_t most_locals = 64;
  static constexpr std::size_t most_alignment = 64;

  using Originals = std::array<std::byte*, most_locals>;

  constexpr OperationLayout() = default;
  /// \param frame  suitable.
  explicit OperationLayout(const abi::OperationFrame& frame) : frame_(&frame) {
    std::size_t number = 0;
    for (const abi::CapturedLocal& local : frame.locals()) {
      places_[number] = aligned(bytes_, local.alignment);
      bytes_ = places_[number++] + local.bytes;
    }
  }

  static bool is_suitable(const abi::OperationFrame& frame) {
    if (frame.local_count > most_locals) return false;
    std::uint32_t bytes = 0;
    for (const abi::CapturedLocal& local : frame.locals()) {
      if (local.alignment > most_alignment || local.bytes > most_bytes) return false;
      bytes = aligned(bytes, local.alignment) + local.bytes;
    }
    return bytes <= most_bytes;
  }

  /// Of all copies together.
  std::uint32_t bytes() const { return bytes_; }

  /// The locals themselves, which lead to each other from the closure on.
  Originals originals(void* closure) const {
    Originals result{};
    result[0] = static_cast<std::byte*>(closure);
    for (const abi::CapturedPointer& pointer : frame_->pointers())
      result[pointer.target] = pointer_at(result[pointer.holder] + pointer.holder_offset) - pointer.target_offset;
    return result;
  }

  void copy_from(const Originals& originals, std::byte* copies) const {
    for_each_local([&](std::size_t number, const abi::CapturedLocal& local) {
      std::memcpy(copies + places_[number], originals[number], local.bytes);
    });
  }

  /// The pointers in the copies lead to copies.
  void redirect(std::byte* copies) const {
    for (const abi::CapturedPointer& pointer : frame_->pointers())
      put_pointer(copies + places_[pointer.holder] + pointer.holder_offset,
                  copies + places_[pointer.target] + pointer.target_offset);
  }

  /// What the body has written in one place of copies.
  void copy_written(const std::byte* from, std::byte* to) const {
    for_each_local([&](std::size_t number, const abi::CapturedLocal& local) {
      if (local.is_written != 0) std::memcpy(to + places_[number], from + places_[number], local.bytes);
    });
  }

  /// The same, for the locals themselves.
  void take_written(const std::byte* copies, const Originals& originals) const {
    for_each_local([&](std::size_t number, const abi::CapturedLocal& local) {
      if (local.is_written != 0) std::memcpy(originals[number], copies + places_[number], local.bytes);
    });
    // Where pointers were, pointers to copies have come.
    for (const abi::CapturedPointer& pointer : frame_->pointers())
      if (frame_->locals()[pointer.holder].is_written != 0)
        put_pointer(originals[pointer.holder] + pointer.holder_offset,
                    originals[pointer.target] + pointer.target_offset);
  }

 private:
  static constexpr std::uint32_t aligned(std::uint32_t offset, std::uint32_t alignment) {
    return (offset + alignment - 1) & ~(alignment - 1);
  }
  static std::byte* pointer_at(const std::byte* place) {
    std::byte* pointer = nullptr;
    std::memcpy(&pointer, place, sizeof(pointer));
    return pointer;
  }
  static void put_pointer(std::byte* place, const std::byte* pointer) {
    std::memcpy(static_cast<void*>(place), &pointer, sizeof(pointer));
  }

  template <class Function>
  void for_each_local(Function&& function) const {
    std::size_t number = 0;
    for (const abi::CapturedLocal& local : frame_->locals()) function(number++, local);
  }

  const abi::OperationFrame* frame_ = nullptr;
  std::array<std::uint32_t, most_locals> places_{};
  std::uint32_t bytes_ = 0;
};

}  // namespace perdure::tx

#endif
