#include "disk/flusher.h"

#include <utility>

#include "perdure/error.h"
#include "sync/futex.h"

namespace perdure::disk {
namespace {

constexpr std::uint32_t anybody = ~std::uint32_t{0};

}  // namespace

Flusher::Flusher(LogRing& log, const Lag& lag, std::function<void()> when_flushed)
    : log_(log), lag_(lag), when_flushed_(std::move(when_flushed)), thread_([this] { work(); }) {}

Flusher::~Flusher() { begin(ending); }

void Flusher::begin(State state) {
  std::uint32_t seen = state_.load();
  while (seen < state && !state_.compare_exchange_weak(seen, state)) {
  }
  if (seen < state) sync::wake(state_, anybody);
}

void Flusher::work() {
  for (;;) {
    while (state_.load() == idle) sync::sleep_while(state_, idle, anybody);
    const auto until = std::chrono::steady_clock::now() + lag_.time;
    while (state_.load() == lagging && std::chrono::steady_clock::now() < until)
      sync::sleep_while(state_, lagging, anybody);
    std::uint32_t seen = state_.load();
    while (seen != ending && !state_.compare_exchange_weak(seen, idle)) {
    }
    // Behind the store: whoever appends from now on begins anew, or is seen.
    flush();
    when_flushed_();
    if (seen == ending) return;
  }
}

void Flusher::flush() {
  try {
    log_.await(log_.appended());
  } catch (const DurabilityError&) {
    // Whoever commits next, or asks whether a commit is durable, is told.
  }
}

}  // namespace perdure::disk
