// A thread that is alone when it begins, and no longer when it ends. (libs/sched/sole_thread.h)
#include "sched/sole_thread.h"

#include <array>
#include <thread>

#include "factories.h"
#include "stepped.h"

namespace perdure::simulate {
namespace {

struct alignas(64) Word {
  std::uint64_t value = 0;
};

/// Two threads add to the same words. Each asks at each of its transactions whether it is alone; so it is, and is not,
/// at different points of each interleaving.
class SoleBesideOthers : public Workload {
 public:
  void prepare(Pools& pools) override { sums_of(pools.front()); }

  void run(const Paths& paths) override {
    const Impatient impatient;
    Pool pool = Pool::open(paths.front());
    Sums& sums = sums_of(pool);
    std::array<std::thread, threads> running;
    for (std::size_t thread = 0; thread < threads; ++thread)
      running[thread] = std::thread([&sums, thread] { add(sums, thread); });
    for (std::thread& thread : running) thread.join();
    close(pool);
  }

  void check(Pools& pools, const Notes& notes) override {
    check_closed(pools, notes);
    Sums& sums = sums_of(pools.front());
    const Sums found = execute([&] { return sums; });
    std::uint64_t expected = 0;
    for (std::size_t thread = 0; thread < threads; ++thread) {
      require(notes.allow(thread, found.added[thread].value),
              "a thread has added " + std::to_string(found.added[thread].value) + " times");
      expected += found.added[thread].value * (thread + 1);
    }
    for (const Word& word : found.words)
      require(word.value == expected, "a sum is " + std::to_string(word.value) + ", not " + std::to_string(expected));
  }

 private:
  static constexpr std::size_t threads = 2;
  static constexpr std::uint64_t additions = 4;

  struct Sums {
    std::array<Word, threads> added;
    std::array<Word, 2> words;
  };

  /// For the threads that run their first transaction meanwhile.
  struct Impatient {
    Impatient() { sched::patience = {.first = 1, .most = 1}; }
    Impatient(const Impatient&) = delete;
    Impatient& operator=(const Impatient&) = delete;
    ~Impatient() { sched::patience = before_; }

   private:
    const sched::Patience before_ = sched::patience;
  };

  static Sums& sums_of(Pool& pool) { return pool.root<Sums>("sums"); }

  static void add(Sums& sums, std::size_t thread) {
    for (std::uint64_t number = 1; number <= additions; ++number) {
      begin(thread, number);
      TM_BEGIN {
        const std::uint64_t before = sums.words[0].value;
        std::this_thread::yield();
        sums.words[0].value = before + thread + 1;
        sums.words[1].value += thread + 1;
        ++sums.added[thread].value;
      } TM_END;
      acknowledge(thread, number);
    }
  }
};

}  // namespace

std::unique_ptr<Workload> make_sole_beside_others() { return std::make_unique<SoleBesideOthers>(); }

}  // namespace perdure::simulate
