// What is particular to libraries that keep two copies of memory: full pools, pools that are read only, what is left of
// the copies, and who has to be alone beside an update that waits for readers.
#include <atomic>
#include <csignal>
#include <cstring>
#include <new>
#include <thread>

#include "alloc/heap.h"
#include "perdure/statistics.h"
#include "pool/header.h"
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

TEST_F(Replicas, AFullPoolTakesUpdatesOnlyWhereThereIsAReplica) {
  {
    Pool pool = Pool::open(path(), small);
    Words& words = words_of(pool);
    set(words.first->value, 1);
    fill(words);
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

TEST_F(Replicas, WhatAFullPoolRefusesIsRolledBackInAllSuperblocks) {
  Pool pool = Pool::open(path(), small);
  Words& words = words_of(pool);
  set(words.first->value, 1);
  fill(words);
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

TEST_F(Replicas, AFullPoolIsRecovered) {
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

TEST_F(Replicas, WhicheverCopyCountsAPoolThatIsOnlyReadHasTheLastUpdate) {
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

TEST_F(Replicas, AreGoneFromAPoolThatWasClosed) {
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

TEST_F(Replicas, APoolThatHasHadThemSaysSoInBothHeaders) {
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

TEST_F(Replicas, AProgramThatDoesNotKnowThemRefusesThePool) {
  make();
  pool::Header header;
  std::memcpy(static_cast<void*>(&header), testing::read_all(path()).data(), sizeof header);
  pool::require_known_features(header, path());
  EXPECT_TRUE(testing::refuses(
      [&] { pool::require_known_features(header, path(), pool::known_incompatible_features & ~pool::replicated); },
      PoolError::Kind::wrong_version, path(), "bits 0x200"));
}

// -- who has to be alone ----------------------------------------------------------------------------------------------

/// A transaction in another thread that reads, and goes on when it is told to.
class Reader {
 public:
  template <class Rest>
  Reader(Words& words, Rest rest) : thread_([this, &words, rest] { run(words, rest); }) {
    while (!has_read_) std::this_thread::yield();
  }
  Reader(const Reader&) = delete;
  Reader& operator=(const Reader&) = delete;
  ~Reader() {
    go_on();
    thread_.join();
  }

  void go_on() { may_go_on_ = true; }
  void wait() const {
    while (!is_done_) std::this_thread::yield();
  }
  int attempts() const { return attempts_; }

 private:
  template <class Rest>
  void run(Words& words, Rest rest) {
    TM_BEGIN {
      const long seen = words.first->value;
      stay();
      rest(words, seen);
    } TM_END;
    is_done_ = true;
  }

  PERDURE_PURE void stay() {
    if (++attempts_ > 1) return;
    has_read_ = true;
    while (!may_go_on_) std::this_thread::yield();
  }

  std::atomic<int> attempts_{0};
  std::atomic<bool> has_read_{false};
  std::atomic<bool> may_go_on_{false};
  std::atomic<bool> is_done_{false};
  std::thread thread_;
};

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

TEST_F(Waiting, WhoBecomesSerialGivesWayToTheUpdateThatWaitsForIt) {
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

TEST_F(Waiting, WhoIsSerialFromItsBeginningWaitsForBoth) {
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

}  // namespace
}  // namespace perdure
