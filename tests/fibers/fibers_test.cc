// Transactions on stacks that a program has made itself, and in a handler of a signal.
#include <gtest/gtest.h>
#include <sys/mman.h>
#include <ucontext.h>

#include <csignal>
#include <cstdlib>
#include <functional>
#include <memory>
#include <mutex>
#include <thread>
#include <vector>

#include "../pool/pool_test.h"
#include "account.h"
#include "perdure/error.h"
#include "perdure/pool.h"
#include "sanitized_switch.h"

namespace perdure {
namespace {

using testing::Accounts;

/// A function on a stack of its own. It may be resumed by any thread when it has yielded.
class Fiber {
 public:
  static constexpr std::size_t stack_bytes = std::size_t{256} * 1024;

  Fiber(void* stack, std::function<void(Fiber&)> function) : function_(std::move(function)), stack_(stack) {
    getcontext(&own_);
    own_.uc_stack.ss_sp = stack;
    own_.uc_stack.ss_size = stack_bytes;
    own_.uc_link = nullptr;
    const auto address = reinterpret_cast<std::uintptr_t>(this);
    makecontext(&own_, reinterpret_cast<void (*)()>(&start), 2, static_cast<unsigned>(address >> 32),
                static_cast<unsigned>(address));
  }
  Fiber(const Fiber&) = delete;
  Fiber& operator=(const Fiber&) = delete;

  /// \returns whether there is more to do.
  bool resume() {
    testing::SanitizedSwitch change;
    change.leave(stack_, stack_bytes);
    swapcontext(&resumer_, &own_);
    change.arrive();
    return !is_over_;
  }

  /// Not inlined: in another thread, the thread's variables are others.
  [[gnu::noinline, perdure::pure]] void yield() {
    change_.leave(change_.from(), change_.from_bytes());
    swapcontext(&own_, &resumer_);
    change_.arrive();
  }

 private:
  static void start(unsigned high, unsigned low) {
    auto& self = *reinterpret_cast<Fiber*>(std::uintptr_t{high} << 32 | low);
    self.change_.arrive();
    self.function_(self);
    self.is_over_ = true;
    self.yield();
  }

  std::function<void(Fiber&)> function_;
  void* stack_;
  testing::SanitizedSwitch change_;
  ucontext_t own_{};
  ucontext_t resumer_{};
  bool is_over_ = false;
};

struct FreeStack {
  bool is_mapped;
  void operator()(void* stack) const {
    if (is_mapped)
      munmap(stack, Fiber::stack_bytes);
    else
      std::free(stack);
  }
};
using StackMemory = std::unique_ptr<void, FreeStack>;

StackMemory make_stack(bool is_mapped) {
  void* const stack =
      is_mapped ? mmap(nullptr, Fiber::stack_bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0)
                : std::malloc(Fiber::stack_bytes);
  return StackMemory(stack, FreeStack{is_mapped});
}

/// Some fibers, each of which changes accounts between its switches, run by some threads: whichever comes by goes on
/// with whichever waits.
void run(Accounts& accounts, int fiber_count, int thread_count, bool is_mapped, std::atomic<long>& wrong) {
  std::atomic<long> attempts = 0;
  std::vector<StackMemory> stacks;
  std::vector<std::unique_ptr<Fiber>> fibers;
  for (int number = 0; number < fiber_count; ++number) {
    stacks.push_back(make_stack(is_mapped));
    fibers.push_back(std::make_unique<Fiber>(stacks.back().get(), [&accounts, &attempts, &wrong, number](Fiber& self) {
      for (int i = 0; i < 300; ++i) {
        if (!transfer(accounts, (number + i) % Accounts::count, i % Accounts::count, attempts)) ++wrong;
        self.yield();
        if (accounts.sum() != Accounts::count * Accounts::each) ++wrong;
      }
    }));
  }
  std::mutex mutex;
  std::vector<Fiber*> waiting;
  for (const auto& fiber : fibers) waiting.insert(waiting.begin(), fiber.get());
  std::atomic<int> left = fiber_count;
  const auto work = [&] {
    while (left.load() != 0) {
      Fiber* fiber = nullptr;
      {
        const std::lock_guard lock(mutex);
        if (waiting.empty()) continue;
        fiber = waiting.front();
        waiting.erase(waiting.begin());
      }
      if (!fiber->resume()) {
        --left;
        continue;
      }
      const std::lock_guard lock(mutex);
      waiting.push_back(fiber);
    }
  };
  std::vector<std::thread> threads;
  for (int i = 0; i < thread_count; ++i) threads.emplace_back(work);
  for (std::thread& thread : threads) thread.join();
}

class FibersTest : public testing::PoolTest {
 protected:
  void expect_to_work(Accounts& accounts, bool is_mapped) {
    std::atomic<long> wrong = 0;
    run(accounts, 6, 3, is_mapped, wrong);
    EXPECT_EQ(wrong, 0);
    EXPECT_EQ(accounts.sum(), Accounts::count * Accounts::each);
  }
};

TEST_F(FibersTest, OnStacksOfTheHeap) {
  const auto accounts = std::make_unique<Accounts>();
  expect_to_work(*accounts, false);
}

TEST_F(FibersTest, OnMappedStacks) {
  Pool pool = Pool::open(path());
  expect_to_work(pool.root<Accounts>("accounts"), true);
}

/// Memory below the stack of a fiber, and below its frames, is like all other memory.
TEST_F(FibersTest, MemoryNextToTheStackIsShared) {
  const auto block = std::make_unique<std::array<long, 1024>>();
  const StackMemory stack = make_stack(false);
  std::atomic<long> attempts = 3;
  long* const lowest = static_cast<long*>(stack.get());
  (*block)[0] = lowest[0] = 1;
  const auto change = [&] {
    (*block)[0] += 1;
    lowest[0] += 1;
    testing::abort_sometimes(attempts);
    testing::abort_sometimes(attempts);
    throw 1;
  };
  bool has_thrown = false;
  Fiber fiber(stack.get(), [&](Fiber&) {
    try {
      execute(change);
    } catch (int) {
      has_thrown = true;
    }
  });
  EXPECT_FALSE(fiber.resume());
  EXPECT_TRUE(has_thrown);
  EXPECT_EQ((*block)[0], 1);
  EXPECT_EQ(lowest[0], 1);
}

TEST_F(FibersTest, RefusedOnAStackInAPool) {
  Pool pool = Pool::open(path());
  void* stack = nullptr;
  TM_BEGIN { stack = std::malloc(Fiber::stack_bytes); } TM_END;
  std::string message;
  long value = 0;
  Fiber fiber(stack, [&](Fiber&) {
    try {
      TM_BEGIN { ++value; } TM_END;
    } catch (const Error& error) {
      message = error.what();
    }
  });
  EXPECT_FALSE(fiber.resume());
  EXPECT_NE(message.find("a stack that lies in a pool"), std::string::npos) << message;
}

#ifndef PERDURE_ADDRESS_SANITIZER
TEST_F(FibersTest, YieldingInATransactionIsRefused) {
  const auto accounts = std::make_unique<Accounts>();
  const auto yield_in_transaction = [&] {
    std::atomic<long> attempts = 0;
    const StackMemory stack = make_stack(true);
    Fiber fiber(stack.get(), [&](Fiber& self) {
      TM_BEGIN {
        accounts->balances[0] += 1;
        self.yield();
      } TM_END;
    });
    fiber.resume();
    transfer(*accounts, 1, 2, attempts);
  };
  EXPECT_DEATH(yield_in_transaction(), "A fiber must not yield in a transaction");
}
#endif

std::unique_ptr<Accounts> accounts_of_signal;
std::atomic<long> wrong_in_signal = 0;

TEST_F(FibersTest, InAHandlerOnAStackOfItsOwn) {
  const StackMemory memory = make_stack(false);
  accounts_of_signal = std::make_unique<Accounts>();
  std::thread([&] {
    const stack_t stack{.ss_sp = memory.get(), .ss_flags = 0, .ss_size = Fiber::stack_bytes};
    sigaltstack(&stack, nullptr);
    struct sigaction action{};
    action.sa_flags = SA_ONSTACK;
    action.sa_handler = [](int) {
      std::atomic<long> attempts = 0;
      for (int i = 0; i < 20; ++i)
        if (!transfer(*accounts_of_signal, 0, 1, attempts)) ++wrong_in_signal;
    };
    sigaction(SIGUSR1, &action, nullptr);
    for (int i = 0; i < 3; ++i) raise(SIGUSR1);
    const stack_t none{.ss_sp = nullptr, .ss_flags = SS_DISABLE, .ss_size = 0};
    sigaltstack(&none, nullptr);
  }).join();
  EXPECT_EQ(wrong_in_signal, 0);
  EXPECT_EQ(accounts_of_signal->balances[1], Accounts::each + 60);
}

}  // namespace
}  // namespace perdure
