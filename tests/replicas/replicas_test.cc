// What is particular to libraries that keep several copies of memory: full pools, pools that are read only, what is
// left of the copies, and who has to be alone beside an update that waits for readers.
#include <atomic>
#include <csignal>
#include <cstring>
#include <new>
#include <thread>

#include "alloc/heap.h"
#include "perdure/statistics.h"
#include "persist/instance.h"
#include "pool/header.h"
#include "reader.h"
#include "replicated_pool.h"
#include "sched/hourglass.h"

namespace perdure {
namespace {

using State = OpenReport::State;

constexpr OpenOptions for_reading{.read_only = true};
constexpr OpenOptions small{.size_limit = 2 << 20};

/// Until nothing more goes in.
void fill(Words& words) {
  for (std::size_t bytes = pool::superblock_bytes; bytes >= sizeof(void*); bytes /= 2) {
    try {
      for (;;) {
        TM_BEGIN {
          void* const block = ::operator new(bytes);
          *static_cast<void**>(block) = words.filling;
          words.filling = block;
        } TM_END;
      }
    } catch (const std::bad_alloc&) {
    }
  }
}

class Replicas : public ReplicatedPoolTest {
 protected:
  std::uint64_t features(std::size_t copy) const {
    pool::Header header;
    std::memcpy(static_cast<void*>(&header), testing::read_all(path()).data() + copy * pool::page_bytes, sizeof header);
    return header.incompatible_features;
  }
};

// -- full pools -------------------------------------------------------------------------------------------------------

TEST_P(Replicas, AFullPoolTakesUpdatesOnlyWhereThereIsAReplica) {
  {
    Pool pool = Pool::open(path(), small);
    Words& words = words_of(pool);
    set(words.first->value, 1);
    fill(words);
    if (instance.facts.helps) GTEST_SKIP() << "superblocks have replicas from their beginning";
    EXPECT_THROW(set(words.second->value, 1), std::bad_alloc);
    EXPECT_EQ(get(words.second->value), 0);
    for (long i = 2; i < 6; ++i) set(words.first->value, i);
    EXPECT_EQ(get(words.first->value), 5);
  }
  // The replicas were given up with the pool: now there is room, for one.
  Pool pool = Pool::open(path(), small);
  EXPECT_EQ(pool.report().state, State::clean);
  Words& words = words_of(pool);
  EXPECT_EQ(get(words.first->value), 5);
  set(words.second->value, 7);
  EXPECT_EQ(get(words.second->value), 7);
}

TEST_P(Replicas, WhatFindsNoRoomIsRolledBackAndUpdatesGoOn) {
  {
    Pool pool = Pool::open(path(), small);
    Words& words = words_of(pool);
    set(words.first->value, 1);
    fill(words);
    const auto change_and_allocate = [&] {
      TM_BEGIN {
        words.first->value = 100;
        void* const block = ::operator new(pool::superblock_bytes);
        *static_cast<void**>(block) = words.filling;
        words.filling = block;
      } TM_END;
    };
    for (long i = 1; i < 4; ++i) {
      EXPECT_THROW(change_and_allocate(), std::bad_alloc);
      EXPECT_EQ(get(words.first->value), i);
      set(words.first->value, i + 1);
    }
  }
  Pool pool = Pool::open(path(), small);
  EXPECT_EQ(get(words_of(pool).first->value), 4);
}

TEST_P(Replicas, WhatAFullPoolRefusesIsRolledBackInAllSuperblocks) {
  Pool pool = Pool::open(path(), small);
  Words& words = words_of(pool);
  set(words.first->value, 1);
  fill(words);
  if (instance.facts.helps) GTEST_SKIP() << "superblocks have replicas from their beginning";
  const auto change_both = [&] {
    TM_BEGIN {
      words.first->value = 100;
      words.second->value = 100;
    } TM_END;
  };
  for (int i = 0; i < 3; ++i) {
    EXPECT_THROW(change_both(), std::bad_alloc);
    EXPECT_EQ(get(words.first->value), i + 1);
    EXPECT_EQ(get(words.second->value), 0);
    set(words.first->value, i + 2);
  }
  // What is freed makes room.
  while (words.filling != nullptr) {
    TM_BEGIN {
      void* const block = words.filling;
      words.filling = *static_cast<void**>(block);
      ::operator delete(block);
    } TM_END;
  }
  change_both();
  EXPECT_EQ(get(words.first->value) + get(words.second->value), 200);
}

TEST_P(Replicas, AFullPoolIsRecovered) {
  const int status = testing::in_child([&] {
    Pool pool = Pool::open(path(), small);
    Words& words = words_of(pool);
    set(words.first->value, 1);
    fill(words);
    for (long i = 2; i < 5; ++i) set(words.first->value, i);
    raise(SIGKILL);
  });
  ASSERT_TRUE(WIFSIGNALED(status));
  Pool pool = Pool::open(path(), small);
  EXPECT_EQ(pool.report().state, State::recovered);
  EXPECT_EQ(get(words_of(pool).first->value), 4);
  set(words_of(pool).second->value, 9);
  EXPECT_EQ(get(words_of(pool).second->value), 9);
}

// -- pools that are only read -----------------------------------------------------------------------------------------

TEST_P(Replicas, WhicheverCopyCountsAPoolThatIsOnlyReadHasTheLastUpdate) {
  for (long updates = 1; updates <= 4; ++updates) {
    std::filesystem::remove(path());
    make();
    leave_crashed(updates);
    const std::string before = testing::read_all(path());
    for (int i = 0; i < 2; ++i) {
      Pool pool = Pool::open(path(), for_reading);
      EXPECT_EQ(pool.report().state, State::recovered);
      EXPECT_EQ(get(words_of(pool).first->value), updates);
      EXPECT_EQ(words_of(pool).second->value, updates) << "plain code reads the same";
      EXPECT_THROW(set(words_of(pool).first->value, 100), Error);
      EXPECT_EQ(get(words_of(pool).first->value), updates);
    }
    EXPECT_EQ(testing::read_all(path()), before);
    Pool pool = Pool::open(path());
    EXPECT_EQ(get(words_of(pool).first->value), updates);
    EXPECT_EQ(get(words_of(pool).second->value), updates);
  }
}

// -- what is left of the copies ---------------------------------------------------------------------------------------

TEST_P(Replicas, AreGoneFromAPoolThatWasClosed) {
  for (long updates = 0; updates <= 3; ++updates) {
    {
      Pool pool = Pool::open(path());
      Words& words = words_of(pool);
      for (long i = 0; i <= updates; ++i) set(words.first->value, 10 * updates + i);
      EXPECT_GE(alloc::heap_of(&words)->superblocks().replicas().size(), 1U);
      EXPECT_EQ(alloc::heap_of(&words)->superblocks().replicas().size(), statistics().replicas);
    }
    EXPECT_EQ(statistics().replicas, 0U);
    Pool pool = Pool::open(path(), for_reading);
    EXPECT_EQ(pool.report().state, State::clean);
    Words& words = words_of(pool);
    EXPECT_TRUE(alloc::heap_of(&words)->superblocks().replicas().empty()) << "as many as descriptors say";
    EXPECT_EQ(words.first->value, 11 * updates);
  }
}

TEST_P(Replicas, APoolThatHasHadThemSaysSoInBothHeaders) {
  {
    const Pool pool = Pool::open(path());
  }
  for (std::size_t copy = 0; copy < pool::header_copies; ++copy) EXPECT_EQ(features(copy) & pool::replicated, 0U);
  make();
  leave_crashed(1);
  for (std::size_t copy = 0; copy < pool::header_copies; ++copy) EXPECT_NE(features(copy) & pool::replicated, 0U);
  {
    const Pool pool = Pool::open(path());
  }
  for (std::size_t copy = 0; copy < pool::header_copies; ++copy) EXPECT_NE(features(copy) & pool::replicated, 0U);
}

TEST_P(Replicas, AProgramThatDoesNotKnowThemRefusesThePool) {
  make();
  pool::Header header;
  std::memcpy(static_cast<void*>(&header), testing::read_all(path()).data(), sizeof header);
  pool::require_known_features(header, path());
  EXPECT_TRUE(testing::refuses(
      [&] { pool::require_known_features(header, path(), pool::known_incompatible_features & ~pool::replicated); },
      PoolError::Kind::wrong_version, path(), "bits 0x200"));
}

// -- who has to be alone ----------------------------------------------------------------------------------------------

class Waiting : public Replicas {
 protected:
  Waiting() : pool_(Pool::open(path())), words_(words_of(pool_)) {
    set(words_.first->value, 1);
    set(words_.first->value, 2);
  }

  /// Until one update is in its turn and waits for the reader: the first of them or the next, as copies count.
  void update_until_it_waits() {
    const std::uint64_t before = statistics().quiescence_waits;
    updates_ = std::thread([this] {
      for (long i = 3; i < 6; ++i) set(words_.first->value, i);
    });
    while (statistics().quiescence_waits == before) std::this_thread::yield();
  }

  Pool pool_;
  Words& words_;
  std::thread updates_;
};

TEST_P(Waiting, WhoBecomesSerialGivesWayToTheUpdateThatWaitsForIt) {
  for (int extra = 0; extra < 2; ++extra) {
    const std::uint64_t serial = statistics().serial_transactions;
    Reader reader(words_, [](Words& words, long seen) {
      become_serial();
      words.second->value = seen;
    });
    update_until_it_waits();
    reader.go_on();
    reader.wait();
    updates_.join();
    EXPECT_GE(reader.attempts(), 2) << "what it had read was no longer so when it had its turn";
    EXPECT_GE(get(words_.second->value), 3);
    EXPECT_EQ(get(words_.first->value), 5);
    EXPECT_EQ(statistics().serial_transactions, serial + 1);
    set(words_.first->value, 2);  // the other copy counts the next time
  }
}

TEST_P(Waiting, WhoIsSerialFromItsBeginningWaitsForBoth) {
  Reader reader(words_, [](Words&, long) {});
  update_until_it_waits();
  std::atomic<bool> was_alone{false};
  std::thread serial([&] {
    TM_SERIAL {
      words_.second->value = words_.first->value;
      was_alone = true;
    }
    TM_END;
  });
  while (!sched::hourglass.is_turned()) std::this_thread::yield();
  EXPECT_FALSE(was_alone);
  reader.go_on();
  serial.join();
  updates_.join();
  EXPECT_EQ(get(words_.first->value), 5);
  EXPECT_GE(get(words_.second->value), 3);
}

// -- in place ---------------------------------------------------------------------------------------------------------

PERDURE_PURE long seen_outside(const long& word) { return word; }

TEST_P(Replicas, OtherCodeSeesWhatWhoIsAloneWrites) {
  Pool pool = Pool::open(path());
  Words& words = words_of(pool);
  for (long i = 1; i <= 4; ++i) {  // whichever copy counts
    long outside = 0;
    long inside = 0;
    TM_BEGIN {
      become_serial();
      words.first->value = i;
      outside = seen_outside(words.first->value);
      inside = words.first->value;
    } TM_END;
    EXPECT_EQ(outside, i);
    EXPECT_EQ(inside, i);
    set(words.second->value, get(words.first->value));
    if (i % 2 != 0) set(words.second->value, i);
    EXPECT_EQ(words.first->value, i);
    EXPECT_EQ(get(words.second->value), i);
  }
}

TEST_P(Replicas, EvenIfItHasAllocatedSomethingBefore) {
  Pool pool = Pool::open(path());
  Words& words = words_of(pool);
  for (long i = 1; i <= 4; ++i) {
    long outside = 0;
    long inside = 0;
    TM_BEGIN {
      long* const added = new long(i);
      become_serial();
      words.first->value = *added;
      outside = seen_outside(words.first->value);
      inside = words.first->value;
      words.filling = added;
    } TM_END;
    EXPECT_EQ(outside, i);
    EXPECT_EQ(inside, i);
    EXPECT_EQ(get(words.first->value), i);
    if (i % 2 != 0) set(words.second->value, i);
  }
}

TEST_P(Replicas, WhoIsAloneIsRolledBack) {
  Pool pool = Pool::open(path());
  Words& words = words_of(pool);
  for (long i = 1; i <= 4; ++i) {
    const auto fail = [&] {
      TM_BEGIN {
        become_serial();
        words.first->value = 100;
        words.second->value = 100;
        throw i;
      } TM_END;
    };
    EXPECT_THROW(fail(), long);
    EXPECT_EQ(words.first->value, i - 1);
    EXPECT_EQ(get(words.first->value), i - 1);
    set(words.first->value, i);
    EXPECT_EQ(get(words.second->value), 0);
  }
}

// -- how many ---------------------------------------------------------------------------------------------------------

TEST_P(Replicas, AsManyAsTheProgramAsksFor) {
  make();
  for (const std::size_t copies : {2, 3, 4, 32}) {
    Pool pool = Pool::open(path(), {.copies = copies});
    Words& words = words_of(pool);
    set(words.first->value, static_cast<long>(copies));
    const std::size_t least = instance.facts.helps ? 3 : 2;
    EXPECT_EQ(statistics().replicas % (std::max(copies, least) - 1), 0);
    EXPECT_GE(statistics().replicas, std::max(copies, least) - 1);
    EXPECT_EQ(get(words.first->value), static_cast<long>(copies));
  }
  for (const std::size_t copies : {std::size_t{1}, std::size_t{33}, ~std::size_t{0}})
    EXPECT_TRUE(testing::refuses([&] { Pool::open(path(), {.copies = copies}); }, PoolError::Kind::usage, path(),
                                 "Set OpenOptions::copies to a number from 2 to 32"));
}

INSTANTIATE_TEST_SUITE_P(Copies, Replicas, ::testing::Values(two_copies, several_copies),
                         ::testing::PrintToStringParamName());
INSTANTIATE_TEST_SUITE_P(TwoCopies, Waiting, ::testing::Values(two_copies), ::testing::PrintToStringParamName());

}  // namespace
}  // namespace perdure
