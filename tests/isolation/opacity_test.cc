// What a running transaction sees, checked after every read: also one that will abort must see no mix of states.
#include <algorithm>
#include <array>
#include <atomic>
#include <memory>
#include <numeric>
#include <random>
#include <span>
#include <string>

#include "delays.h"
#include "in_parallel.h"
#include "tests/tx/by_hand.h"

namespace perdure {
namespace {

using namespace by_hand;

/// Pairs of equal words whose values sum up to zero: transactions move amounts between the pairs. The words of a pair
/// are in different places: both in the pool, far apart or neighbours of other pairs', or one in ordinary memory.
class Pairs {
 public:
  static constexpr std::size_t count = 12;
  static constexpr std::size_t pool_words = 1024;

  explicit Pairs(std::uint64_t* in_pool) : elsewhere_(std::make_unique<std::array<std::uint64_t, count>>()) {
    for (std::size_t pair = 0; pair < count; ++pair)
      words_[pair] = {in_pool + pair, pair % 3 == 0   ? elsewhere_->data() + pair
                                      : pair % 3 == 1 ? in_pool + 512 + 64 * pair
                                                      : in_pool + 256 + count - pair};
  }

  struct Pair {
    std::uint64_t* first;
    std::uint64_t* second;
  };
  const Pair& operator[](std::size_t pair) const { return words_[pair]; }

 private:
  std::unique_ptr<std::array<std::uint64_t, count>> elsewhere_;
  std::array<Pair, count> words_;
};

/// The checks are not transactional, so they also count what an aborted attempt saw.
class Opacity : public PoolTest {
 protected:
  Opacity() : pairs_(words(Pairs::pool_words)) {}

  /// Reads the words of some pairs, or of all, in an order of its own.
  void look(std::minstd_rand& random) {
    std::array<std::size_t, 2 * Pairs::count> order;
    std::iota(order.begin(), order.end(), 0);
    const std::size_t words = random() % 4 == 0 ? order.size() : order.size() / 2;
    std::ranges::shuffle(order, random);
    std::array<std::uint64_t, Pairs::count> seen{};
    std::array<bool, Pairs::count> is_seen{};
    for (const std::size_t word : std::span(order).first(words)) {
      const std::size_t pair = word / 2;
      const std::uint64_t value = read(word % 2 == 0 ? *pairs_[pair].first : *pairs_[pair].second);
      if (std::exchange(is_seen[pair], true) && value != seen[pair]) ++mixtures_;
      seen[pair] = value;
    }
    if (words == order.size() && std::reduce(seen.begin(), seen.end()) != 0) ++mixtures_;
  }

  void move(std::minstd_rand& random) {
    const std::size_t from = random() % Pairs::count;
    const std::size_t to = (from + 1 + random() % (Pairs::count - 1)) % Pairs::count;
    const std::uint64_t left = checked(from) - 1;
    const std::uint64_t arrived = checked(to) + 1;
    write(*pairs_[from].first, left);
    write(*pairs_[to].second, arrived);
    write(*pairs_[from].second, left);
    write(*pairs_[to].first, arrived);
    if (checked(from) != left || checked(to) != arrived) ++mixtures_;  // its own writes
  }

  void run_campaign(unsigned threads, const delays::Everywhere& delays) {
    if (!delays::apply(delays)) GTEST_SKIP() << "other delays are for this library";
    std::atomic<bool> is_over{false};
    std::atomic<std::uint64_t> transactions{0};
    in_parallel(threads, [&](unsigned number) {
      std::minstd_rand random(number + 1);
      const delays::Delayed delayed(delays, number);
      if (number == 0)
        delays::campaign_with(delays).run([&](unsigned i) { return run_one(i, random, transactions); });
      else
        for (unsigned i = number; !is_over && run_one(i, random, transactions); ++i) {
        }
      is_over = true;
    });
    std::minstd_rand random(1);
    transact([&] { look(random); });
    EXPECT_EQ(mixtures_, 0U);
    RecordProperty("transactions", std::to_string(transactions));
  }

 private:
  std::uint64_t checked(std::size_t pair) {
    const std::uint64_t first = read(*pairs_[pair].first);
    if (read(*pairs_[pair].second) != first) ++mixtures_;
    return first;
  }

  /// \returns whether all is well so far.
  bool run_one(unsigned number, std::minstd_rand& random, std::atomic<std::uint64_t>& transactions) {
    if (number % 2 == 0)
      transact([&] { look(random); });
    else
      transact([&] { move(random); });
    transactions.fetch_add(1, std::memory_order_relaxed);
    return mixtures_.load(std::memory_order_relaxed) == 0;
  }

  Pairs pairs_;
  std::atomic<std::uint64_t> mixtures_{0};
};

TEST_F(Opacity, Undisturbed) { run_campaign(4, delays::undisturbed); }
TEST_F(Opacity, DelayedAtAccesses) { run_campaign(6, delays::delayed_at_accesses); }
TEST_F(Opacity, StalledAnywhere) { run_campaign(4, delays::stalled_anywhere); }
TEST_F(Opacity, OfThreadsThatAreAloneNowAndThen) {
  const Impatient impatient;
  run_campaign(3, delays::undisturbed);
}
TEST_F(Opacity, DelayedAtAccessesAndAloneNowAndThen) {
  const Impatient impatient;
  run_campaign(3, delays::delayed_at_accesses);
}
TEST_F(Opacity, DelayedWithinTheLibraryAndAloneNowAndThen) {
  const Impatient impatient;
  run_campaign(3, delays::delayed_within_the_library);
}
TEST_F(Opacity, DelayedWithinTheLibrary) { run_campaign(4, delays::delayed_within_the_library); }

}  // namespace
}  // namespace perdure
