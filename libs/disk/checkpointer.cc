#include "disk/checkpointer.h"

#include "perdure/error.h"
#include "sync/futex.h"

namespace perdure::disk {
namespace {

constexpr std::uint32_t anybody = ~std::uint32_t{0};

}  // namespace

Checkpointer::Checkpointer(std::function<void()> make) : make_(std::move(make)), thread_([this] { work(); }) {}

Checkpointer::~Checkpointer() { wake_up(ending); }

void Checkpointer::wake_up(State state) {
  std::uint32_t seen = state_.load();
  while (seen < state && !state_.compare_exchange_weak(seen, state)) {
  }
  if (seen < state) sync::wake(state_, anybody);
}

void Checkpointer::work() {
  for (;;) {
    while (state_.load() == idle) sync::sleep_while(state_, idle, anybody);
    std::uint32_t seen = requested;
    // Before the checkpoint begins: who asks from now on gets another one.
    if (!state_.compare_exchange_strong(seen, idle)) return;
    try {
      make_();
    } catch (const DurabilityError&) {
      // Of the log, which tells everybody.
    }
  }
}

}  // namespace perdure::disk
