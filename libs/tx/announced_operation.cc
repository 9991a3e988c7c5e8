#include "tx/announced_operation.h"

namespace perdure::tx {

namespace {

std::byte* pointer_at(const std::byte* place) {
  std::byte* pointer = nullptr;
  std::memcpy(&pointer, place, sizeof(pointer));
  return pointer;
}

void put_pointer(std::byte* place, const std::byte* pointer) {
  std::memcpy(static_cast<void*>(place), &pointer, sizeof(pointer));
}

constexpr std::uint32_t aligned(std::uint32_t offset, std::uint32_t alignment) {
  return (offset + alignment - 1) & ~(alignment - 1);
}

/// Where the copies end, if the locals are copied one behind the other, each aligned.
std::uint32_t bytes_of(const abi::OperationFrame& frame) {
  std::uint32_t bytes = 0;
  for (const abi::CapturedLocal& local : frame.locals()) bytes = aligned(bytes, local.alignment) + local.bytes;
  return bytes;
}

}  // namespace

bool AnnouncedOperation::is_suitable(const abi::OperationFrame& frame) {
  if (frame.local_count > most_locals) return false;
  for (const abi::CapturedLocal& local : frame.locals())
    if (local.alignment > most_alignment || local.bytes > most_bytes) return false;
  return bytes_of(frame) <= most_bytes;
}

void AnnouncedOperation::copy(Operation operation, const abi::OperationFrame& frame) {
  operation_ = operation;
  frame_ = &frame;
  locals_.clear();
  std::uint32_t end = 0;
  for (const abi::CapturedLocal& local : frame.locals()) {
    const std::uint32_t place = aligned(end, local.alignment);
    locals_.push_back({nullptr, place});
    end = place + local.bytes;
  }
  locals_[0].original = static_cast<std::byte*>(operation.closure);
  for (const abi::CapturedPointer& pointer : frame.pointers())
    locals_[pointer.target].original =
        pointer_at(locals_[pointer.holder].original + pointer.holder_offset) - pointer.target_offset;
  while (copies_.size() < end) copies_.append() = {};
  for (std::size_t i = 0; i < locals_.size(); ++i)
    std::memcpy(copies_.begin() + locals_[i].place, locals_[i].original, frame.locals()[i].bytes);
  outcome_.store(Outcome::pending, std::memory_order_relaxed);  // what announces it, releases
}

void AnnouncedOperation::take_results() const {
  for (std::size_t i = 0; i < locals_.size(); ++i)
    if (frame_->locals()[i].is_written != 0)
      std::memcpy(locals_[i].original, copies_.begin() + locals_[i].place, frame_->locals()[i].bytes);
  // Where pointers were, pointers to copies have come.
  for (const abi::CapturedPointer& pointer : frame_->pointers())
    if (frame_->locals()[pointer.holder].is_written != 0)
      put_pointer(locals_[pointer.holder].original + pointer.holder_offset,
                  locals_[pointer.target].original + pointer.target_offset);
}

void AnnouncedOperation::run() {
  // In a frame of the running thread: to the transaction these are locals of its own, which die with it.
  alignas(most_alignment) std::array<std::byte, most_bytes> place;
  const std::uint32_t bytes = bytes_of(*frame_);
  std::memcpy(place.data(), copies_.begin(), bytes);
  redirect(place.data());
  operation_.body(place.data());
  for (std::size_t i = 0; i < locals_.size(); ++i)
    if (frame_->locals()[i].is_written != 0)
      std::memcpy(copies_.begin() + locals_[i].place, place.data() + locals_[i].place, frame_->locals()[i].bytes);
}

void AnnouncedOperation::redirect(std::byte* copies) const {
  for (const abi::CapturedPointer& pointer : frame_->pointers())
    put_pointer(copies + locals_[pointer.holder].place + pointer.holder_offset,
                copies + locals_[pointer.target].place + pointer.target_offset);
}

}  // namespace perdure::tx
