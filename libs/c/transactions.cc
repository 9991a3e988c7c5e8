// Transactions of perdure/c.h over what C++ programs use.
#include "perdure/attributes.h"  // as of a file without the plugin
#define __PERDURE__  // no transaction begins in this file; bodies come from files that the plugin has compiled
#include <array>
#include <cstddef>
#include <cstring>

#include "abi/entry_points.h"
#include "abi/operation_frame.h"
#include "c/status.h"
#include "entry/allocation.h"
#include "perdure/c.h"

namespace {

using perdure::abi::CapturedLocal;
using perdure::abi::CapturedPointer;
using perdure::abi::OperationFrame;
using perdure::c::status_of;

/// The body has asked for its transaction to be rolled back.
struct RolledBack {};

struct Run {
  int (*body)(void*);
  void* argument;
  int result = 0;
};

void run_body(void* closure) {
  Run& run = *static_cast<Run*>(closure);
  run.result = run.body(run.argument);
  if (run.result != 0) throw RolledBack();
}

template <class Transaction>
int run_as(const Transaction& transaction, Run run) noexcept {
  return status_of([&] {
    try {
      transaction(run_body, &run);
    } catch (const RolledBack&) {
    }
  })
             ?: run.result;
}

/// What another thread has to know to run `run_body`: the frame of the argument, behind a Run that leads to it.
class FrameOfRun {
 public:
  static bool fits(const OperationFrame& frame) { return frame.local_count < most && frame.pointer_count < most; }

  /// \param of_argument  fits.
  explicit FrameOfRun(const OperationFrame& of_argument) {
    append(OperationFrame{of_argument.local_count + 1, of_argument.pointer_count + 1, 1, 0});
    append(CapturedLocal{sizeof(Run), alignof(Run), 1});
    for (const CapturedLocal& local : of_argument.locals()) append(local);
    append(CapturedPointer{0, offsetof(Run, argument), 1, 0});
    for (CapturedPointer pointer : of_argument.pointers()) {
      ++pointer.holder;
      ++pointer.target;
      append(pointer);
    }
  }

  const OperationFrame& operator*() const { return *reinterpret_cast<const OperationFrame*>(bytes_.data()); }

 private:
  static constexpr std::size_t most = 32;

  template <class Part>
  void append(const Part& part) {
    std::memcpy(bytes_.data() + size_, &part, sizeof part);
    size_ += sizeof part;
  }

  alignas(OperationFrame) std::array<std::byte, sizeof(OperationFrame) + most * sizeof(CapturedLocal) +
                                                    most * sizeof(CapturedPointer)> bytes_;
  std::size_t size_ = 0;
};

}  // namespace

int perdure_transaction(int (*body)(void*), void* argument) {
  return perdure::entry::is_in_transaction() ? body(argument) : run_as(perdure_run, {body, argument});
}

int perdure_transaction_operation(int (*body)(void*), void* argument, const OperationFrame* frame) {
  if (!perdure::entry::runs_for_others || perdure::entry::is_in_transaction() || !FrameOfRun::fits(*frame))
    return perdure_transaction(body, argument);
  const FrameOfRun frame_of_run(*frame);
  return run_as([&](void (*run)(void*), void* closure) { perdure_run_operation(run, closure, &*frame_of_run); },
                {body, argument});
}

int perdure_serial_transaction(int (*body)(void*), void* argument) {
  if (!perdure::entry::is_in_transaction()) return run_as(perdure_run_serial, {body, argument});
  perdure_become_serial();
  return body(argument);
}
