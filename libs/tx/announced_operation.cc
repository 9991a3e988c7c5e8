#include "tx/announced_operation.h"

#include <array>

namespace perdure::tx {

void AnnouncedOperation::copy(Operation operation, const abi::OperationFrame& frame) {
  operation_ = operation;
  frame_ = &frame;
  const OperationLayout layout(frame);
  while (copies_.size() < layout.bytes()) copies_.append() = {};
  layout.copy_from(layout.originals(operation.closure), copies_.begin());
  outcome_.store(Outcome::pending, std::memory_order_relaxed);  // what announces it, releases
}

void AnnouncedOperation::take_results() const {
  const OperationLayout layout(*frame_);
  layout.take_written(copies_.begin(), layout.originals(operation_.closure));
}

void AnnouncedOperation::run() {
  // In a frame of the running thread: to the transaction these are locals of its own, which die with it.
  alignas(OperationLayout::most_alignment) std::array<std::byte, OperationLayout::most_bytes> place;
  const OperationLayout layout(*frame_);
  std::memcpy(place.data(), copies_.begin(), layout.bytes());
  layout.redirect(place.data());
  operation_.body(place.data());
  layout.copy_written(place.data(), copies_.begin());
}

}  // namespace perdure::tx
