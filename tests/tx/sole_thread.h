#ifndef PERDURE_TESTS_TX_SOLE_THREAD_H
#define PERDURE_TESTS_TX_SOLE_THREAD_H

#include "sched/sole_thread.h"

#include <chrono>
#include <thread>

#include "by_hand.h"

namespace perdure::by_hand {

/// While it lives no thread is alone.
struct NeverAlone {
  NeverAlone() {
    sched::patience.first = 0;
    sched::sole_thread.end_claim();
  }
  NeverAlone(const NeverAlone&) = delete;
  NeverAlone& operator=(const NeverAlone&) = delete;
  ~NeverAlone() { sched::patience = {}; }
};

/// A test in which this thread can come to be alone, soon. (libs/sched/sole_thread.h)
class SoleThreadTest : public PoolTest {
 protected:
  SoleThreadTest() {
    sched::patience = {.first = 4, .most = 4};
    shared_ = words(words_in_use);
    end_solitude();  // whatever was before, nobody is alone now
  }
  ~SoleThreadTest() override {
    sched::patience = {};
    sched::alternation_limits = {};
  }

  static bool is_claimed() { return sched::sole_thread.claim() != sched::SoleThread::nobody; }

  /// Runs transactions until this thread is alone. Another one may be on its way out of a transaction, without a
  /// processor.
  void become_sole() {
    const auto deadline = std::chrono::steady_clock::now() + std::chrono::minutes(1);
    while (!is_claimed() && std::chrono::steady_clock::now() < deadline) {
      for (int i = 0; i < 1000 && !is_claimed(); ++i) transact([&] { write(shared_[0], read(shared_[0]) + 1); });
      std::this_thread::yield();
    }
    ASSERT_TRUE(is_claimed());
  }

  void end_solitude() {
    in_another_thread([&] { transact([&] { read(shared_[0]); }); });
  }

  template <class Work>
  static void in_another_thread(Work&& work) {
    std::thread(work).join();
  }

  /// In the middle of a transaction: another thread begins to work, and this one is alone no more. Its work may have to
  /// wait for the end of this transaction, in modes that wait for whoever could look at private memory.
  template <class Work>
  void is_joined_by(Work&& work) {
    const auto claim = sched::sole_thread.claim();
    other_ = std::thread(work);
    while (sched::sole_thread.still_has(claim)) std::this_thread::yield();
  }
  void other_ends() { other_.join(); }

  static constexpr std::size_t words_in_use = 64;
  std::uint64_t* shared_ = nullptr;

 private:
  std::thread other_;
};

}  // namespace perdure::by_hand

#endif
