// Records that an older one keeps from being retired, until they are retired together. (libs/log/retirement.h)
#include <optional>

#include "factories.h"
#include "log/announcement.h"
#include "persist/instance.h"
#include "sched/thread_registry.h"
#include "stepped.h"
#include "sync/clock.h"

namespace perdure::simulate {
namespace {

/// A commit that has announced its time, and that no processor runs.
class DelayedCommit {
 public:
  DelayedCommit() { log::announce(slot_, sync::commit_clock.now()); }
  DelayedCommit(const DelayedCommit&) = delete;
  DelayedCommit& operator=(const DelayedCommit&) = delete;
  ~DelayedCommit() {
    log::lift_announcement(slot_);
    sched::thread_registry.release(slot_);
  }

 private:
  sched::ThreadSlot& slot_ = sched::thread_registry.acquire();
};

struct TwoNumbers {
  std::uint64_t first = 0;
  alignas(128) std::uint64_t second = 0;
};

/// All steps write to the same words. Those of the first run are held up but for the last, which retires them all, and
/// the pool is opened once more.
class HeldUpWorkload : public Stepped<TwoNumbers> {
 public:
  void run(const Paths& paths) override {
    Pool pool = Pool::open(paths.front());
    {
      std::optional<DelayedCommit> older;
      if (!instance.waits_for_retirement) older.emplace();  // or these steps would wait for it
      for (std::uint64_t number = 1; number < last_of_first_run; ++number) take(pool, number);
    }
    take(pool, last_of_first_run);
    pool.close();
    pool = Pool::open(paths.front());
    take(pool, last_of_first_run + 1);
    close(pool);
  }

 private:
  static constexpr std::uint64_t last_of_first_run = 4;

  void take(Pool& pool, std::uint64_t number) {
    begin(client, number);
    step(pool.root<TwoNumbers>("workload"), number);
    acknowledge(client, number);
  }

  void step(TwoNumbers& root, std::uint64_t) override {
    TM_BEGIN {
      ++root.first;
      root.second = root.first * root.first;
    } TM_END;
  }
  std::uint64_t steps_taken(TwoNumbers& root) override {
    return execute([&] { return root.first; });
  }
  void check(TwoNumbers& root, std::uint64_t taken) override {
    const std::uint64_t second = execute([&] { return root.second; });
    require(second == taken * taken,
            "after " + std::to_string(taken) + " steps the second number is " + std::to_string(second));
  }
};

}  // namespace

std::unique_ptr<Workload> make_held_up() { return std::make_unique<HeldUpWorkload>(); }

}  // namespace perdure::simulate
