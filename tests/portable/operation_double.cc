#include "operation_double.h"

#include <cstddef>
#include <cstring>
#include <memory>
#include <span>
#include <thread>
#include <vector>

#include "abi/entry_points.h"
#include "abi/operation_frame.h"

extern "C" void __wrap_perdure_run_operation(void (*body)(void*), void* closure,
                                             const perdure::abi::OperationFrame* frame);

namespace perdure::tests {
namespace {

int elsewhere = 0;
int given_back = 0;

struct AlignedDelete {
  std::align_val_t alignment;
  void operator()(std::byte* block) const { ::operator delete(block, alignment); }
};
using Block = std::unique_ptr<std::byte, AlignedDelete>;

Block allocate(std::size_t bytes, std::size_t alignment) {
  const std::align_val_t aligned{alignment};
  return {static_cast<std::byte*>(::operator new(bytes, aligned)), AlignedDelete{aligned}};
}

std::byte* pointer_at(const std::byte* place) {
  std::byte* pointer = nullptr;
  std::memcpy(&pointer, place, sizeof pointer);
  return pointer;
}

/// The locals of one operation, and a copy of each.
class OperationCopy {
 public:
  OperationCopy(const abi::OperationFrame& frame, void* closure) : frame_(frame), originals_(frame.local_count) {
    originals_[0] = static_cast<std::byte*>(closure);
    for (const abi::CapturedPointer& pointer : frame.pointers())
      originals_[pointer.target] =
          pointer_at(originals_[pointer.holder] + pointer.holder_offset) - pointer.target_offset;
    for (std::size_t i = 0; i < originals_.size(); ++i) copies_.push_back(copy_of(i));
    for (std::size_t i = 0; i < originals_.size(); ++i) saved_.push_back(copy_of(i));
    redirect(copies_);
  }

  void* closure() const { return copies_[0].get(); }

  void spoil_originals() {
    for (std::size_t i = 0; i < originals_.size(); ++i) std::memset(originals_[i], 0xA5, frame_.locals()[i].bytes);
  }

  void restore_originals() { take_back(saved_); }

  /// What was written; the pointers are what they were.
  void take_results() {
    for (std::size_t i = 0; i < originals_.size(); ++i)
      if (frame_.locals()[i].is_written != 0) std::memcpy(originals_[i], copies_[i].get(), frame_.locals()[i].bytes);
    for (const abi::CapturedPointer& pointer : frame_.pointers()) {
      std::byte* const target = originals_[pointer.target] + pointer.target_offset;
      std::memcpy(originals_[pointer.holder] + pointer.holder_offset, &target, sizeof target);
    }
  }

 private:
  Block copy_of(std::size_t local) const {
    const abi::CapturedLocal& what = frame_.locals()[local];
    Block copy = allocate(what.bytes, what.alignment);
    std::memcpy(copy.get(), originals_[local], what.bytes);
    return copy;
  }

  void redirect(const std::vector<Block>& blocks) const {
    for (const abi::CapturedPointer& pointer : frame_.pointers()) {
      std::byte* const target = blocks[pointer.target].get() + pointer.target_offset;
      std::memcpy(blocks[pointer.holder].get() + pointer.holder_offset, &target, sizeof target);
    }
  }

  void take_back(const std::vector<Block>& blocks) const {
    for (std::size_t i = 0; i < originals_.size(); ++i)
      std::memcpy(originals_[i], blocks[i].get(), frame_.locals()[i].bytes);
  }

  const abi::OperationFrame& frame_;
  std::vector<std::byte*> originals_;
  std::vector<Block> copies_;
  std::vector<Block> saved_;
};

/// \returns whether the block has run to its end.
bool run_in_other_thread(void (*body)(void*), void* closure) {
  bool has_ended = false;
  std::thread([&] {
    try {
      perdure_run(body, closure);
      has_ended = true;
    } catch (...) {
      // It is rolled back; its owner runs it again, and has the exception.
    }
  }).join();
  return has_ended;
}

}  // namespace

int runs_elsewhere() { return elsewhere; }
int runs_given_back() { return given_back; }

}  // namespace perdure::tests

using namespace perdure::tests;

void __wrap_perdure_run_operation(void (*body)(void*), void* closure, const perdure::abi::OperationFrame* frame) {
  OperationCopy copy(*frame, closure);
  copy.spoil_originals();
  const bool has_ended = run_in_other_thread(body, copy.closure());
  copy.restore_originals();
  if (!has_ended) {
    ++given_back;
    return perdure_run(body, closure);
  }
  ++elsewhere;
  copy.take_results();
}
