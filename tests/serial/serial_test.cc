// Serial transactions: alone, run once, and with calls of code that the plugin has not seen.
#include <gtest/gtest.h>

#include <unistd.h>

#include <atomic>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <functional>
#include <iostream>
#include <map>
#include <memory>
#include <new>
#include <sstream>
#include <stdexcept>
#include <string>
#include <thread>

#include "perdure/perdure.h"
#include "perdure/statistics.h"
#include "tests/isolation/in_parallel.h"
#include "tests/serial/other_file.h"
#include "tests/serial/unseen.h"
#include "tests/tx/by_hand.h"

namespace perdure {
namespace {

struct Accounts {
  long first = 100;
  long second = 0;
  long* block = nullptr;
  std::map<long, long> history;
};

class Serial : public by_hand::PoolTest {
 protected:
  Serial() : accounts_(pool().root<Accounts>("accounts")) { unseen::printed.clear(); }

  static std::uint64_t serial_transactions() { return statistics().serial_transactions; }

  Accounts& accounts_;
};

TEST_F(Serial, CallsWhatThePluginHasNotSeen) {
  const std::uint64_t before = serial_transactions();
  TM_SERIAL {
    accounts_.first -= 10;
    unseen::print("first ", unseen::read(accounts_.first));
    std::printf("printed in a transaction: %ld\n", accounts_.first);
    accounts_.second += unseen::echo(10);
    accounts_.history[1] = accounts_.second;
  }
  TM_END;
  EXPECT_EQ(unseen::printed, "first 90;");
  EXPECT_EQ(accounts_.first, 90);
  EXPECT_EQ(accounts_.second, 10);
  EXPECT_EQ(accounts_.history.at(1), 10);
  if (statistics().commits != 0) EXPECT_EQ(serial_transactions(), before + 1);
}

TEST_F(Serial, ReturnsWhatItsBodyReturns) {
  const std::string text = TM_SERIAL {
    std::ostringstream stream;
    stream << "first: " << accounts_.first << '\n';
    std::cout << stream.str();
    return stream.str();
  }
  TM_END;
  EXPECT_EQ(text, "first: 100\n");
}

TEST_F(Serial, AnExceptionRollsBackWhatThePluginSaw) {
  long local = 1;
  const auto on_heap = std::make_unique<long>(2);
  const auto body = [&] {
    TM_SERIAL {
      accounts_.first = 1;
      accounts_.history[5] = 6;
      accounts_.block = new long(7);
      local = 3;
      *on_heap = 4;
      unseen::print("once ", 1);
      unseen::fail("from unseen code");
    }
    TM_END;
  };
  EXPECT_THROW(body(), std::runtime_error);
  EXPECT_EQ(accounts_.first, 100);
  EXPECT_EQ(accounts_.block, nullptr);
  EXPECT_TRUE(accounts_.history.empty());
  EXPECT_EQ(local, 1);
  EXPECT_EQ(*on_heap, 2);
  EXPECT_EQ(unseen::printed, "once 1;");
  TM_BEGIN { accounts_.first = 50; }  // the next one finds nothing left over
  TM_END;
  EXPECT_EQ(accounts_.first, 50);
}

TEST_F(Serial, GoesOnWhereAnExceptionIsCaughtInIt) {
  TM_SERIAL {
    try {
      accounts_.first = 1;
      unseen::fail("caught");
    } catch (const std::runtime_error& error) {
      accounts_.second = error.what()[0];
    }
  }
  TM_END;
  EXPECT_EQ(accounts_.first, 1);
  EXPECT_EQ(accounts_.second, 'c');
}

TEST_F(Serial, WhatUnseenCodeFreesIsFreedWithTheTransaction) {
  TM_BEGIN { accounts_.block = new long(7); } TM_END;
  const auto drop = [&](bool fails) {
    TM_SERIAL {
      unseen::drop(accounts_.block);
      accounts_.block = nullptr;
      if (fails) throw 1;
    }
    TM_END;
  };
  EXPECT_THROW(drop(true), int);
  ASSERT_NE(accounts_.block, nullptr);
  EXPECT_EQ(*accounts_.block, 7);
  drop(false);
  EXPECT_EQ(accounts_.block, nullptr);
}

TEST_F(Serial, WhatUnseenCodeWritesToANewBlockStays) {
  TM_SERIAL {
    accounts_.block = new long;
    unseen::write(*accounts_.block, 9);
    accounts_.second = *accounts_.block;
  }
  TM_END;
  EXPECT_EQ(*accounts_.block, 9);
  EXPECT_EQ(accounts_.second, 9);
}

TEST_F(Serial, ATransactionInACallbackIsPartOfIt) {
  const auto body = [&](bool fails) {
    TM_SERIAL {
      unseen::for_each(
          3,
          [](void* argument, int number) {
            auto& accounts = *static_cast<Accounts*>(argument);
            TM_BEGIN { accounts.second += number; } TM_END;
          },
          &accounts_);
      accounts_.first = accounts_.second;
      if (fails) throw 1;
    }
    TM_END;
  };
  EXPECT_THROW(body(true), int);
  EXPECT_EQ(accounts_.second, 0);
  body(false);
  EXPECT_EQ(accounts_.second, 3);
  EXPECT_EQ(accounts_.first, 3);
}

TEST_F(Serial, NestsFlat) {
  TM_SERIAL {
    TM_BEGIN { accounts_.first = 1; } TM_END;
    TM_SERIAL { unseen::print("inner ", accounts_.first); }
    TM_END;
  }
  TM_END;
  EXPECT_EQ(unseen::printed, "inner 1;");
  TM_BEGIN {
    accounts_.second = 2;
    TM_SERIAL { unseen::print("in an ordinary one ", unseen::read(accounts_.second)); }
    TM_END;
  } TM_END;
  EXPECT_EQ(unseen::printed, "inner 1;in an ordinary one 2;");
}

TEST_F(Serial, BecomesSerialInTheMiddle) {
  const std::uint64_t before = serial_transactions();
  long local = 0;
  TM_BEGIN {
    accounts_.first = 7;
    accounts_.history[3] = 4;
    local = 5;
    become_serial();
    unseen::print("first ", unseen::read(accounts_.first));
    unseen::print("local ", unseen::read(local));
    accounts_.second = 8;
    become_serial();
  } TM_END;
  EXPECT_EQ(unseen::printed, "first 7;local 5;");
  EXPECT_EQ(accounts_.second, 8);
  EXPECT_EQ(accounts_.history.at(3), 4);
  if (statistics().commits != 0) EXPECT_EQ(serial_transactions(), before + 1);
}

TEST_F(Serial, AnExceptionRollsBackAlsoWhatCameBeforeItWasSerial) {
  const auto body = [&] {
    TM_BEGIN {
      accounts_.first = 7;
      accounts_.block = new long(1);
      become_serial();
      accounts_.second = 8;
      unseen::fail("late");
    } TM_END;
  };
  EXPECT_THROW(body(), std::runtime_error);
  EXPECT_EQ(accounts_.first, 100);
  EXPECT_EQ(accounts_.second, 0);
  EXPECT_EQ(accounts_.block, nullptr);
}

TEST_F(Serial, OutsideOfTransactionsNothingBecomesSerial) {
  become_serial();
  TM_BEGIN { accounts_.first = 7; } TM_END;
  EXPECT_EQ(accounts_.first, 7);
}

TEST_F(Serial, FunctionsThatAreMarkedSerialArePartOfIt) {
  const auto body = [&](bool fails) {
    TM_SERIAL {
      other_file::add_and_print(accounts_.first, 5);
      if (fails) throw 1;
    }
    TM_END;
  };
  EXPECT_THROW(body(true), int);
  EXPECT_EQ(accounts_.first, 100);
  body(false);
  EXPECT_EQ(accounts_.first, 105);
  EXPECT_EQ(unseen::printed, "sum 105;sum 105;");
}

TEST_F(Serial, CallsThroughPointersGoToWhatThereIs) {
  const other_file::Shape& shape = other_file::circle();
  void (*const print)(const char*, long) = std::atoi("1") == 1 ? unseen::print : nullptr;
  TM_SERIAL {
    shape.draw(accounts_.first);
    print("by pointer ", accounts_.first);
  }
  TM_END;
  EXPECT_EQ(unseen::printed, "circle 101;by pointer 101;");
}

TEST_F(Serial, AFullPoolShowsAtTheWrite) {
  if (!library_is_durable()) GTEST_SKIP() << "a pool is never full";
  reopen({.size_limit = 8 << 20});
  Accounts& accounts = pool().root<Accounts>("accounts");
  const auto body = [&] {
    TM_SERIAL {
      unseen::print("before ", 1);
      for (;;) {
        long* const block = new long[1000];
        block[0] = reinterpret_cast<long>(accounts.block);
        accounts.block = block;
      }
    }
    TM_END;
  };
  EXPECT_THROW(body(), std::bad_alloc);
  EXPECT_EQ(accounts.block, nullptr);
  EXPECT_EQ(unseen::printed, "before 1;");  // it did not run again
}

TEST_F(Serial, APoolThatIsOpenForReadingShowsAtTheWrite) {
  if (!library_is_durable()) GTEST_SKIP() << "volatile pools are always writable";
  reopen({.read_only = true});
  const Accounts& accounts = pool().root<Accounts>("accounts");
  const auto body = [&] {
    TM_SERIAL {
      const_cast<Accounts&>(accounts).first = 1;
      unseen::print("never ", 1);
    }
    TM_END;
  };
  EXPECT_THROW(body(), Error);
  EXPECT_EQ(unseen::printed, "");
  EXPECT_EQ(accounts.first, 100);
}

TEST_F(Serial, WritesToSeveralPools) {
  if (by_hand::has_replicas()) GTEST_SKIP() << "makes one pool durable at a time";
  by_hand::TemporaryPool other("other");
  Accounts& accounts = other.pool().root<Accounts>("accounts");
  const auto body = [&](bool fails) {
    TM_BEGIN {
      accounts_.first = 1;
      become_serial();
      unseen::print("both ", accounts.first);
      accounts.first = 2;
      if (fails) throw 1;
    } TM_END;
  };
  EXPECT_THROW(body(true), int);
  EXPECT_EQ(accounts_.first, 100);
  EXPECT_EQ(accounts.first, 100);
  body(false);
  EXPECT_EQ(accounts_.first, 1);
  EXPECT_EQ(accounts.first, 2);
}

/// Of direct calls the compiler knows (plugin/tests/errors/serial.cc).
TEST_F(Serial, AnOrdinaryTransactionDoesNotCallWhatIsSerialThroughAPointer) {
  void (*const add)(long&, long) = std::atoi("1") == 1 ? other_file::add_and_print : nullptr;
  const auto body = [&] { TM_BEGIN { add(accounts_.first, 1); } TM_END; };
  EXPECT_DEATH(body(), "calls 'other_file::add_and_print(.|\n)*marked .*serial(.|\n)*TM_SERIAL");
  const other_file::Shape& shape = other_file::circle();
  EXPECT_DEATH((TM_BEGIN { shape.draw(accounts_.first); } TM_END), "no transactional clone");
  TM_BEGIN {
    become_serial();
    add(accounts_.first, 1);
  } TM_END;
  EXPECT_EQ(accounts_.first, 101);
}

// -- beside others -------------------------------------------------------------------------------------------------

TEST_F(Serial, IsAloneAndLosesNothing) {
  constexpr unsigned threads = 4;
  constexpr int rounds = 300;
  accounts_.first = accounts_.second = 0;
  in_parallel(threads, [&](unsigned number) {
    for (int i = 0; i < rounds; ++i) {
      if (number == 0) {
        TM_SERIAL {
          const long sum = unseen::read(accounts_.first);
          EXPECT_EQ(sum, unseen::read(accounts_.second));
          accounts_.first = sum + 1;
          accounts_.second = sum + 1;
        }
        TM_END;
      } else if (number == 1) {
        TM_BEGIN {
          const long sum = accounts_.first + 1;
          accounts_.first = sum;
          become_serial();
          EXPECT_EQ(unseen::read(accounts_.second), sum - 1);
          accounts_.second = sum;
        }
        TM_END;
      } else {
        TM_BEGIN {
          accounts_.first = accounts_.first + 1;
          accounts_.second = accounts_.second + 1;
        }
        TM_END;
      }
    }
  });
  EXPECT_EQ(accounts_.first, threads * rounds);
  EXPECT_EQ(accounts_.second, threads * rounds);
}

TEST_F(Serial, TwoThatBecomeSerialDoNotWaitForEachOther) {
  constexpr int rounds = 200;
  std::atomic<int> printed{0};
  in_parallel(3, [&](unsigned) {
    for (int i = 0; i < rounds; ++i) {
      TM_BEGIN {
        const long seen = accounts_.second;
        become_serial();
        unseen::for_each(1, [](void* count, int) { static_cast<std::atomic<int>*>(count)->fetch_add(1); }, &printed);
        accounts_.second = seen + 1;
      }
      TM_END;
    }
  });
  EXPECT_EQ(accounts_.second, 3 * rounds);
  EXPECT_EQ(printed, 3 * rounds);  // what comes behind it runs once
}

/// Where the kernel has put a thread of this process: R running, S sleeping.
char state_of_thread(int thread) {
  std::ifstream file("/proc/self/task/" + std::to_string(thread) + "/stat");
  std::string text;
  std::getline(file, text);
  return text[text.rfind(')') + 2];
}

/// It leaves the processor to whom it waits for.
TEST_F(Serial, WhoWaitsLongSleeps) {
  std::atomic<int> waiting{0};
  std::thread other;
  int times_asleep = 0;
  std::function<void()> wait = [&] {
    other = std::thread([&] {
      waiting = gettid();
      TM_BEGIN { accounts_.second = accounts_.first; } TM_END;
    });
    const auto deadline = std::chrono::steady_clock::now() + std::chrono::minutes(1);
    while (times_asleep < 20 && std::chrono::steady_clock::now() < deadline) {
      if (waiting != 0 && state_of_thread(waiting) == 'S') ++times_asleep;
    }
  };
  TM_SERIAL {
    accounts_.first = 5;
    unseen::for_each(1, [](void* wait, int) { (*static_cast<std::function<void()>*>(wait))(); }, &wait);
  }
  TM_END;
  other.join();
  EXPECT_EQ(times_asleep, 20);
  EXPECT_EQ(accounts_.second, 5);
}

}  // namespace
}  // namespace perdure
