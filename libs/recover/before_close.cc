#include <mutex>
#include <vector>

#include "log/record_logs.h"
#include "log/retirement.h"
#include "persist/step.h"
#include "recover/replay.h"

namespace perdure::recover {
namespace {

struct CloseHooks {
  std::mutex mutex;
  std::vector<void (*)(alloc::Heap&)> hooks;
};

CloseHooks& close_hooks() {
  static auto* const result = new CloseHooks;
  return *result;
}

void call_hooks(alloc::Heap& heap) {
  const std::scoped_lock lock(close_hooks().mutex);
  for (const auto hook : close_hooks().hooks) hook(heap);
}

}  // namespace

void add_close_hook(void (*hook)(alloc::Heap&)) {
  const std::scoped_lock lock(close_hooks().mutex);
  close_hooks().hooks.push_back(hook);
}

void before_close(alloc::Heap& heap) {
  log::retirement_queue().retire_all_in(heap);
  persistence::perform<persistence::Step::statuses_settled>([&] { log::RetirementQueue::settle(heap); });
  log::record_logs[heap.mapping().slot()].close();
  call_hooks(heap);
}

void free_what_waits(alloc::Heap& heap) {
  log::retirement_queue().drain();
  log::record_logs[heap.mapping().slot()].retire_all();
  call_hooks(heap);
}

}  // namespace perdure::recover
