// Transactions in fibers of Boost.Context and of Boost.Fiber.
#include <gtest/gtest.h>

#include <boost/context/fiber.hpp>
#include <boost/fiber/algo/shared_work.hpp>
#include <boost/fiber/condition_variable.hpp>
#include <boost/fiber/fiber.hpp>
#include <boost/fiber/mutex.hpp>
#include <boost/fiber/operations.hpp>
#include <memory>
#include <thread>
#include <vector>

#include "account.h"

namespace perdure {
namespace {

using testing::Accounts;

constexpr long sum_of_all = Accounts::count * Accounts::each;

TEST(BoostFibers, OfBoostContext) {
  const auto accounts = std::make_unique<Accounts>();
  std::atomic<long> attempts = 0;
  long wrong = 0;
  using boost::context::fiber;
  fiber first([&](fiber&& resumer) {
    for (int i = 0; i < 1000; ++i) {
      if (!transfer(*accounts, i % Accounts::count, 0, attempts)) ++wrong;
      resumer = std::move(resumer).resume();
    }
    return std::move(resumer);
  });
  // In turn by two threads, and with transactions of the threads' own between.
  while (first) {
    std::thread([&] {
      if (accounts->sum() != sum_of_all) ++wrong;
      first = std::move(first).resume();
    }).join();
    if (!transfer(*accounts, 0, 3, attempts)) ++wrong;
    if (first) first = std::move(first).resume();
  }
  EXPECT_EQ(wrong, 0);
  EXPECT_EQ(accounts->sum(), sum_of_all);
}

TEST(BoostFibers, OfThreadsThatShareTheWork) {
  const auto accounts = std::make_unique<Accounts>();
  std::atomic<long> attempts = 0;
  std::atomic<long> wrong = 0;
  std::atomic<int> left = 12;
  boost::fibers::mutex mutex;
  boost::fibers::condition_variable_any is_over;
  const auto work = [&] {
    boost::fibers::use_scheduling_algorithm<boost::fibers::algo::shared_work>();
    std::unique_lock lock(mutex);
    is_over.wait(lock, [&] { return left.load() == 0; });
  };
  std::vector<std::thread> threads;
  threads.emplace_back(work);
  threads.emplace_back(work);
  boost::fibers::use_scheduling_algorithm<boost::fibers::algo::shared_work>();
  for (int number = 0; number < 12; ++number)
    boost::fibers::fiber([&, number] {
      for (int i = 0; i < 1000; ++i) {
        if (!transfer(*accounts, (number + i) % Accounts::count, i % Accounts::count, attempts)) ++wrong;
        boost::this_fiber::yield();
        if (accounts->sum() != sum_of_all) ++wrong;
      }
      const std::lock_guard lock(mutex);
      if (--left == 0) is_over.notify_all();
    }).detach();
  {
    std::unique_lock lock(mutex);
    is_over.wait(lock, [&] { return left.load() == 0; });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(wrong, 0);
  EXPECT_EQ(accounts->sum(), sum_of_all);
}

}  // namespace
}  // namespace perdure
