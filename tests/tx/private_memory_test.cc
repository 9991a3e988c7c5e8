// The general model: pool memory that a transaction has made private is used without transactions from then on, so
// after a crash no record may be written over what is stored there.
#include <atomic>
#include <chrono>
#include <thread>

#include "by_hand.h"
#include "log/retirement.h"

namespace perdure {
namespace {

using namespace by_hand;

class PrivateMemory : public PoolTest {};

/// While an older transaction keeps its record, that of a younger one is in the queue and may be replayed.
TEST_F(PrivateMemory, NoRecordOutlivesTheTransactionThatMadeItPrivate) {
  auto* const shared = words(1);
  log::RetirementQueue& queue = log::retirement_queue();
  std::atomic<bool> is_over{false};
  std::thread privatiser;
  {
    const DelayedCommitter older(sync::commit_clock.now() + 1);
    privatiser = std::thread([&] {
      transact([&] { write(shared[0], 1); });
      EXPECT_EQ(queue.oldest(), sched::never) << "a record can still be replayed over private memory";
      is_over = true;
    });
    while (queue.oldest() == sched::never) std::this_thread::yield();
    // If the transaction does not wait, it is over in this time.
    for (int i = 0; i < 100 && !is_over; ++i) std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
  privatiser.join();
}

}  // namespace
}  // namespace perdure
