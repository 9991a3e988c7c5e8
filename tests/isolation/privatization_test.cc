// Memory that goes back and forth between transactions and plain code: initialised plainly and published by a
// transaction, taken out by another, then used plainly and unmapped. Doomed transactions may still be about to read it.
#include <sys/mman.h>
#include <algorithm>
#include <atomic>
#include <random>
#include <span>
#include <string>

#include "delays.h"
#include "in_parallel.h"
#include "tests/tx/by_hand.h"

namespace perdure {
namespace {

using namespace by_hand;

/// A page of memory: it is really gone when the object is, so that whoever still reads it is ended by the system.
class Page {
 public:
  static constexpr std::size_t words = 512;

  static Page filled_with(std::uint64_t content) {
    void* const mapped =
        mmap(nullptr, words * sizeof(std::uint64_t), PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    Page page(static_cast<std::uint64_t*>(mapped));
    std::ranges::fill(page.all(), content);
    return page;
  }
  explicit Page(std::uint64_t* taken_over) : words_(taken_over) {}
  Page(Page&& other) noexcept : words_(other.release()) {}
  Page& operator=(const Page&) = delete;
  ~Page() {
    if (words_ != nullptr) munmap(words_, words * sizeof(std::uint64_t));
  }

  std::span<std::uint64_t, words> all() const { return std::span<std::uint64_t, words>(words_, words); }
  std::uint64_t* release() { return std::exchange(words_, nullptr); }

 private:
  std::uint64_t* words_;
};

class Privatization : public PoolTest {
 protected:
  void SetUp() override {
    if (mode_is("ip")) GTEST_SKIP() << "the ideal model has no access outside of transactions";
  }

  void run_campaign(const delays::Everywhere& delays) {
    if (!delays::apply(delays)) GTEST_SKIP() << "other delays are for this library";
    current_ = reinterpret_cast<std::uint64_t>(Page::filled_with(0).release());
    in_parallel(4, [&](unsigned number) {
      std::minstd_rand random(number + 1);
      const delays::Delayed delayed(delays, number);
      if (number == 0)
        run_privatiser(delays);
      else
        while (!is_over_) number == 1 ? update() : look(random() % Page::words);
    });
    const Page last(reinterpret_cast<std::uint64_t*>(current_));
    EXPECT_EQ(broken_, 0U);
  }

 private:
  std::uint64_t* current() { return reinterpret_cast<std::uint64_t*>(read(current_)); }

  void run_privatiser(const delays::Everywhere& delays) {
    const unsigned rounds = delays::campaign_with(delays).run([&](unsigned round) {
      Page fresh = Page::filled_with(round);
      std::uint64_t* taken_over = nullptr;
      transact([&] {
        taken_over = current();
        write(current_, reinterpret_cast<std::uint64_t>(fresh.all().data()));
      });
      fresh.release();
      use_plainly(Page(taken_over));
      return broken_ == 0;
    });
    is_over_ = true;
    RecordProperty("rounds", static_cast<int>(rounds));
  }

  /// Nobody else reads or writes the page any more.
  void use_plainly(const Page& page) {
    const std::uint64_t content = page.all()[0];
    if (!std::ranges::all_of(page.all(), [&](std::uint64_t word) { return word == content; })) ++broken_;
    std::ranges::fill(page.all(), ~content);
    std::this_thread::yield();
    if (!std::ranges::all_of(page.all(), [&](std::uint64_t word) { return word == ~content; })) ++broken_;
  }

  void update() {
    transact([&] {
      std::uint64_t* const page = current();
      const std::uint64_t content = read(page[0]);
      for (std::size_t i = 0; i < Page::words; ++i) write(page[i], content + 1);
    });
  }

  void look(std::size_t start) {
    transact([&] {
      std::uint64_t* const page = current();
      const std::uint64_t content = read(page[start]);
      for (std::size_t i = 1; i < 64; ++i)
        if (read(page[(start + i * 7) % Page::words]) != content) ++broken_;
    });
  }

  std::uint64_t current_ = 0;
  std::atomic<bool> is_over_{false};
  std::atomic<std::uint64_t> broken_{0};
};

TEST_F(Privatization, Undisturbed) { run_campaign(delays::undisturbed); }
TEST_F(Privatization, DelayedAtAccesses) { run_campaign(delays::delayed_at_accesses); }
TEST_F(Privatization, StalledAnywhere) { run_campaign(delays::stalled_anywhere); }
TEST_F(Privatization, DelayedWithinTheLibrary) { run_campaign(delays::delayed_within_the_library); }

}  // namespace
}  // namespace perdure
