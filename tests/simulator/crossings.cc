// Transactions over several pools.
#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <thread>
#include <vector>

#include "factories.h"
#include "log/decisions.h"
#include "open/open_pool.h"
#include "stepped.h"

namespace perdure::simulate {
namespace {

/// How the pools are opened after a crash.
enum class Order : std::uint8_t {
  as_made,        ///< all, the first one first: it was the coordinator of the first transaction
  reversed,       ///< all, the last one first
  apart,          ///< each for itself, the first one first; then all
  apart_reversed  ///< each for itself, the last one first; then all
};

struct alignas(64) Word {
  std::uint64_t value = 0;
};

struct Note {
  std::uint64_t number;
  Note* before;
};

constexpr std::size_t most_threads = 2;

/// What a pool holds of each thread, and what they share.
struct Part {
  std::array<Word, most_threads> steps;
  Word total;
  Note* notes = nullptr;
};

/// Threads take steps; each is a transaction that writes to all pools, first to another one each time.
class CrossingsWorkload : public Workload {
 public:
  CrossingsWorkload(std::size_t pools, std::size_t threads, std::uint64_t steps, Order order)
      : pools_(pools), threads_(threads), steps_(steps), order_(order) {}

  std::size_t pools() const override { return pools_; }
  void prepare(Pools& pools) override {
    for (Pool& pool : pools) part_of(pool);
    // Short, so that crashes of recovery can be explored, too: what is done but once in a pool's life is done here.
    if (steps_ == 1) step(parts_of(pools), most_threads - 1, 1, 0);
  }

  void run(const Paths& paths) override {
    Pools pools = open_all(paths);
    const Parts parts = parts_of(pools);
    std::vector<std::thread> others;
    for (std::size_t who = 1; who < threads_; ++who) others.emplace_back([&, who] { walk(parts, who); });
    walk(parts, 0);
    for (std::thread& other : others) other.join();
    for (Pool& pool : pools) pool.close();
  }

  void recover_and_check(const Paths& paths, const Notes& notes) override {
    if (order_ == Order::apart || order_ == Order::apart_reversed)
      for_each_in_order(paths, [&](const std::filesystem::path& path) { open_apart(path, notes); });
    std::vector<std::optional<Pool>> opened(paths.size());
    for_each_in_order(paths, [&](const std::filesystem::path& path) {
      opened[static_cast<std::size_t>(&path - paths.data())].emplace(Pool::open(path));
    });
    Pools pools;
    for (auto& pool : opened) pools.push_back(std::move(*pool));
    check(pools, notes);
    for (Pool& pool : pools) pool.close();
  }

  void check(Pools& pools, const Notes& notes) override {
    const Parts parts = parts_of(pools);
    for (std::size_t who = 0; who < threads_; ++who) {
      const std::uint64_t taken = execute([&] { return parts[0]->steps[who].value; });
      require(notes.allow(who, taken), std::to_string(taken) + " steps were taken");
      check_parts(parts, who, taken);
      begin(who, taken + 1);
      step(parts, who, taken + 1, is_backwards() ? pools_ - 1 : 0);
      acknowledge(who, taken + 1);
      check_parts(parts, who, taken + 1);
    }
  }

 private:
  /// A decision is kept for who might ask for it, and nobody does once the transaction has returned.
  void open_apart(const std::filesystem::path& path, const Notes& notes) const {
    opening::OpenPool pool(path, {});
    bool has_returned = true;
    for (std::size_t who = 0; who < threads_; ++who)
      has_returned = has_returned && notes.acknowledged(who) == notes.begun(who);
    require(!has_returned || !log::decisions[pool.heap().mapping().slot()].has_left_over(),
            "a decision is left over, and no transaction was running");
    pool.close();
  }

  using Parts = std::array<Part*, 3>;

  template <class Function>
  void for_each_in_order(const Paths& paths, Function&& function) const {
    for (std::size_t i = 0; i < paths.size(); ++i) function(paths[is_backwards() ? paths.size() - 1 - i : i]);
  }
  bool is_backwards() const { return order_ == Order::reversed || order_ == Order::apart_reversed; }

  /// Each has a note.
  static std::uint64_t steps_of_all(const Part& part) {
    return execute([&] {
      std::uint64_t all = 0;
      for (const Word& word : part.steps) all += word.value;
      return all;
    });
  }
  static Part& part_of(Pool& pool) { return pool.root<Part>("part"); }
  static Parts parts_of(Pools& pools) {
    Parts parts{};
    for (std::size_t i = 0; i < pools.size(); ++i) parts[i] = &part_of(pools[i]);
    return parts;
  }

  void walk(const Parts& parts, std::size_t who) const {
    for (std::uint64_t number = 1; number <= steps_; ++number) {
      begin(who, number);
      step(parts, who, number, 0);
      acknowledge(who, number);
    }
  }

  /// A step in which the first pool is another one each time. Between two steps something is written to one pool only,
  /// so that there are records of both kinds about the same words.
  /// \param opened_first  the pool that blocks come from.
  void step(const Parts& parts, std::size_t who, std::uint64_t number, std::size_t opened_first) const {
    // Not by way of `parts` in the transaction: whoever reads memory outside of pools is waited for at commits.
    Part* const first = parts[(number + who + 1) % pools_];
    Part* const second = parts[(number + who) % pools_];
    Part* const third = pools_ == 3 ? parts[(number + who + 2) % pools_] : nullptr;
    Part* const with_blocks = parts[opened_first];
    TM_BEGIN {
      first->steps[who].value = number;
      ++first->total.value;
      second->steps[who].value = number;
      ++second->total.value;
      if (third != nullptr) {
        third->steps[who].value = number;
        ++third->total.value;
      }
      with_blocks->notes = new Note{number, with_blocks->notes};
    } TM_END;
    Part* const alone = parts[number % pools_];
    TM_BEGIN {
      alone->total.value += 1000;
      alone->total.value -= 1000;
    } TM_END;
  }

  void check_parts(const Parts& parts, std::size_t who, std::uint64_t taken) const {
    for (std::size_t pool = 0; pool < pools_; ++pool) {
      const Part* const part = parts[pool];
      const auto [found, sum, total] = execute([&] {
        std::uint64_t all = 0;
        for (const Word& word : part->steps) all += word.value;
        return std::array{part->steps[who].value, all, part->total.value};
      });
      require(found == taken, "pool " + std::to_string(pool) + " holds step " + std::to_string(found) +
                                  ", and pool 0 step " + std::to_string(taken));
      require(sum == total, "the steps in pool " + std::to_string(pool) + " do not add up");
    }
    std::uint64_t notes = 0;
    for (std::size_t pool = 0; pool < pools_; ++pool)
      notes += execute([&] {
        std::uint64_t count = 0;
        for (const Note* note = parts[pool]->notes; note != nullptr; note = note->before) ++count;
        return count;
      });
    const std::uint64_t steps = steps_of_all(*parts[0]);
    require(notes == steps, std::to_string(notes) + " notes are there of " + std::to_string(steps) + " steps");
  }

  std::size_t pools_;
  std::size_t threads_;
  std::uint64_t steps_;
  Order order_;
};

}  // namespace

std::unique_ptr<Workload> make_crossing() { return std::make_unique<CrossingsWorkload>(2, 1, 2, Order::as_made); }
std::unique_ptr<Workload> make_crossing_reversed() {
  return std::make_unique<CrossingsWorkload>(2, 1, 1, Order::reversed);
}
std::unique_ptr<Workload> make_crossing_apart() { return std::make_unique<CrossingsWorkload>(2, 1, 2, Order::apart); }
std::unique_ptr<Workload> make_crossing_apart_reversed() {
  return std::make_unique<CrossingsWorkload>(2, 1, 2, Order::apart_reversed);
}
std::unique_ptr<Workload> make_crossing_three() {
  return std::make_unique<CrossingsWorkload>(3, 1, 3, Order::apart_reversed);
}
std::unique_ptr<Workload> make_crossings() { return std::make_unique<CrossingsWorkload>(2, 2, 2, Order::reversed); }

}  // namespace perdure::simulate
