#include <atomic>
#include <set>
#include <string>
#include <thread>

#include <gtest/gtest.h>

#include "memcached/store.h"
#include "perdure/statistics.h"
#include "tests/scratch_pool.h"

namespace perdure::benchmarks::memcached {
namespace {

constexpr UnixSeconds now = 1'000'000'000;

/// A store in a pool of its own; the tests say what time it is.
class StoreTest : public ::testing::Test {
 protected:
  explicit StoreTest(const Limits& limits = {}) : limits_(limits) { open(); }

  ~StoreTest() override { EXPECT_EQ(joined(store_->violations()), ""); }

  void open() { store_.emplace(pool_.get(), limits_); }

  void reopen() {
    store_.reset();
    pool_.reopen();
    open();
  }

  std::string get(const std::string& key, UnixSeconds time = now) {
    store_->fetch(ItemKey(key), Fetch{}, time, harvest_, trace_);
    return harvest_.found(0).exists() ? std::string(harvest_.value(0)) : "(none)";
  }

  Found meta_get(const std::string& key, Fetch fetch, UnixSeconds time = now) {
    fetch.is_meta = true;
    store_->fetch(ItemKey(key), fetch, time, harvest_, trace_);
    return harvest_.found(0);
  }

  PutResult put(const std::string& key, const std::string& value, const Put& put = {}, UnixSeconds time = now) {
    return store_->put(ItemKey(key), put, value, time, trace_);
  }

  Outcome set(const std::string& key, const std::string& value, UnixSeconds time = now) {
    return put(key, value, {}, time).outcome;
  }

  static Put in_mode(Mode mode) {
    Put put;
    put.mode = mode;
    return put;
  }

  static Put expiring(UnixSeconds expiry) {
    Put put;
    put.expiry = expiry;
    return put;
  }

  static Put if_cas(std::uint64_t cas) {
    Put put = in_mode(Mode::cas);
    put.has_cas = true;
    put.cas = cas;
    return put;
  }

  const Limits limits_;
  ScratchPool pool_;
  std::optional<Store> store_;
  Harvest harvest_;
  Trace trace_;
};

TEST_F(StoreTest, KeepsWhatWasSet) {
  EXPECT_EQ(get("a"), "(none)");
  EXPECT_EQ(set("a", "1"), Outcome::done);
  EXPECT_EQ(set("b", std::string(500'000, 'x')), Outcome::done);
  EXPECT_EQ(set("", ""), Outcome::done);
  EXPECT_EQ(get("a"), "1");
  EXPECT_EQ(get("b"), std::string(500'000, 'x'));
  EXPECT_EQ(get(""), "");
  EXPECT_EQ(set("a", "another"), Outcome::done);
  EXPECT_EQ(get("a"), "another");
  EXPECT_EQ(store_->summary().items, 3);
}

TEST_F(StoreTest, IsThereInTheNextProcess) {
  if (!library_is_durable()) GTEST_SKIP() << "the library keeps pools in volatile memory";
  set("a", "1");
  put("b", "2", expiring(now + 100));
  const auto cas = put("c", "3").cas;
  reopen();
  EXPECT_EQ(get("a"), "1");
  EXPECT_EQ(get("b", now + 99), "2");
  EXPECT_EQ(get("b", now + 100), "(none)");
  EXPECT_EQ(put("c", "4", if_cas(cas)).outcome, Outcome::done);
}

TEST_F(StoreTest, StoresUnderConditions) {
  EXPECT_EQ(put("a", "1", in_mode(Mode::replace)).outcome, Outcome::not_stored);
  EXPECT_EQ(put("a", "1", in_mode(Mode::append)).outcome, Outcome::not_stored);
  EXPECT_EQ(put("a", "1", if_cas(1)).outcome, Outcome::not_found);
  EXPECT_EQ(put("a", "b", in_mode(Mode::add)).outcome, Outcome::done);
  EXPECT_EQ(put("a", "x", in_mode(Mode::add)).outcome, Outcome::not_stored);
  EXPECT_EQ(put("a", "c", in_mode(Mode::append)).outcome, Outcome::done);
  EXPECT_EQ(put("a", "a", in_mode(Mode::prepend)).outcome, Outcome::done);
  EXPECT_EQ(get("a"), "abc");
  const auto stored = put("a", "new", in_mode(Mode::replace));
  EXPECT_EQ(put("a", "no", if_cas(stored.cas - 1)).outcome, Outcome::exists);
  EXPECT_EQ(put("a", "yes", if_cas(stored.cas)).outcome, Outcome::done);
  EXPECT_EQ(put("a", "no", if_cas(stored.cas)).outcome, Outcome::exists);
  EXPECT_EQ(get("a"), "yes");
}

TEST_F(StoreTest, AppendsUpToTheLargestItem) {
  set("a", std::string(600'000, 'x'));
  EXPECT_EQ(put("a", std::string(600'000, 'y'), in_mode(Mode::append)).outcome, Outcome::not_stored);
  EXPECT_EQ(get("a"), std::string(600'000, 'x'));
}

TEST_F(StoreTest, TellsKeysWithTheSameHashApart) {
  ItemKey first("first");
  ItemKey second("second");
  ItemKey third("third");
  first.hash = second.hash = third.hash = 42;
  const auto value_of = [&](const ItemKey& key) {
    store_->fetch(key, Fetch{}, now, harvest_, trace_);
    return harvest_.found(0).exists() ? std::string(harvest_.value(0)) : "(none)";
  };
  store_->put(first, Put{}, "1", now, trace_);
  store_->put(second, Put{}, "2", now, trace_);
  store_->put(third, Put{}, "3", now, trace_);
  EXPECT_EQ(value_of(first) + value_of(second) + value_of(third), "123");
  EXPECT_EQ(store_->erase(second, Erase{}, now, trace_), Outcome::done);
  EXPECT_EQ(value_of(first) + value_of(second) + value_of(third), "1(none)3");
  EXPECT_EQ(store_->erase(third, Erase{}, now, trace_), Outcome::done);
  EXPECT_EQ(value_of(first) + value_of(third), "1(none)");
  EXPECT_EQ(store_->erase(first, Erase{}, now, trace_), Outcome::done);
  EXPECT_EQ(store_->summary().items, 0);
}

TEST_F(StoreTest, Expires) {
  put("a", "1", expiring(now + 10));
  EXPECT_EQ(get("a", now + 9), "1");
  EXPECT_EQ(store_->summary().items, 1);
  EXPECT_EQ(get("a", now + 10), "(none)");
  EXPECT_EQ(store_->summary().items, 0);  // it is gone, not only hidden
  put("a", "1", expiring(long_ago));
  EXPECT_EQ(put("a", "2", in_mode(Mode::replace)).outcome, Outcome::not_stored);
}

TEST(Expiry, IsRelativeUpToThirtyDays) {
  EXPECT_EQ(expiry_of(0, now), never);
  EXPECT_EQ(expiry_of(-1, now), long_ago);
  EXPECT_EQ(expiry_of(thirty_days, now), now + thirty_days);
  EXPECT_EQ(expiry_of(thirty_days + 1, now), thirty_days + 1);
  EXPECT_TRUE(is_over(expiry_of(thirty_days + 1, now), now));
  EXPECT_FALSE(is_over(expiry_of(std::int64_t{now} + 1, now), now));
}

TEST_F(StoreTest, IsFlushedAtOnceOrLater) {
  set("a", "1");
  store_->flush(now, now);
  EXPECT_EQ(get("a"), "(none)");
  set("a", "2");
  EXPECT_EQ(get("a"), "2");
  store_->flush(now + 10, now);
  store_->tick(now + 9);
  EXPECT_EQ(get("a"), "2");
  store_->tick(now + 10);
  EXPECT_EQ(get("a"), "(none)");
  set("a", "3");
  store_->tick(now + 11);
  EXPECT_EQ(get("a"), "3");
}

TEST_F(StoreTest, CountsWithNumbers) {
  Arithmetic arithmetic;
  EXPECT_EQ(store_->add(ItemKey("a"), arithmetic, now, trace_).outcome, Outcome::not_found);
  set("a", "99");
  EXPECT_EQ(store_->add(ItemKey("a"), arithmetic, now, trace_).number, 100);
  EXPECT_EQ(get("a"), "100");
  arithmetic.is_decrement = true;
  EXPECT_EQ(store_->add(ItemKey("a"), arithmetic, now, trace_).number, 99);
  EXPECT_EQ(get("a"), "99 ");
  arithmetic.delta = 1000;
  EXPECT_EQ(store_->add(ItemKey("a"), arithmetic, now, trace_).number, 0);
  for (const auto* value : {"", "x", "1x", "-1", "123456789012345678901234", "18446744073709551616"}) {
    set("a", value);
    EXPECT_EQ(store_->add(ItemKey("a"), arithmetic, now, trace_).outcome, Outcome::no_number) << value;
    EXPECT_EQ(get("a"), value);
  }
}

TEST_F(StoreTest, FindsManyKeysAsOfOneMoment) {
  set("a", "1");
  set("c", std::string(5000, '3'));
  const std::vector<std::string_view> keys{"a", "b", "c", "a"};
  store_->fetch(keys, Fetch{}, now, harvest_, trace_);
  EXPECT_TRUE(harvest_.found(0).exists());
  EXPECT_FALSE(harvest_.found(1).exists());
  EXPECT_EQ(harvest_.value(0), "1");
  EXPECT_EQ(harvest_.value(2), std::string(5000, '3'));
  EXPECT_EQ(harvest_.value(3), "1");
}

TEST_F(StoreTest, GivesOneClientTheRightToMakeAValueAnew) {
  Fetch vivify;
  vivify.vivifies = true;
  vivify.vivified_expiry = now + 30;
  EXPECT_TRUE(meta_get("a", vivify).is_won);
  const auto second = meta_get("a", vivify);
  EXPECT_FALSE(second.is_won);
  EXPECT_TRUE(second.is_won_by_other);
  set("a", "1");
  EXPECT_FALSE(meta_get("a", Fetch{}).is_won_by_other);
  Erase invalidate;
  invalidate.invalidates = true;
  EXPECT_EQ(store_->erase(ItemKey("a"), invalidate, now, trace_), Outcome::done);
  const auto stale = meta_get("a", Fetch{});
  EXPECT_TRUE(stale.is_stale && stale.is_won);
  EXPECT_FALSE(meta_get("a", Fetch{}).is_won);
}

// A get that finds nothing to change writes nothing: it costs no fence, and nobody conflicts with it.
TEST_F(StoreTest, MostGetsOnlyRead) {
  set("a", "1");
  get("a");  // the first says that the item was fetched
  const auto commits_of = [&](UnixSeconds time) {
    const auto before = statistics().commits;
    get("a", time);
    return statistics().commits - before;
  };
  EXPECT_EQ(commits_of(now), 0);
  EXPECT_EQ(commits_of(now + 59), 0);
  EXPECT_EQ(commits_of(now + 60), 1);  // a minute later it is moved to the front
  EXPECT_EQ(commits_of(now + 61), 0);
}

/// A store with room for about 8,000 small items, and a single order of recency.
class SmallStoreTest : public StoreTest {
 protected:
  static constexpr std::size_t bytes = std::size_t{1} << 20;
  SmallStoreTest() : StoreTest(Limits{bytes, bytes / 4}) {}
};

TEST_F(SmallStoreTest, EvictsWhatWasNotUsedForLongest) {
  set("used", "1");
  for (int i = 0; i < 20'000; ++i) {
    if (i % 1000 == 0) get("used", now + 60 * (i / 1000));
    set("key-" + std::to_string(i), "value", now + 60 * (i / 1000));
  }
  const auto summary = store_->summary();
  EXPECT_LE(summary.bytes, bytes);
  EXPECT_GT(summary.bytes, bytes * 9 / 10);
  EXPECT_EQ(summary.items + summary.evictions, 20'001);
  EXPECT_EQ(get("used", now + 1200), "1");
  EXPECT_EQ(get("key-0", now + 1200), "(none)");
  EXPECT_EQ(get("key-19999", now + 1200), "value");
}

// Two threads store into a full cache, and their transactions conflict.
TEST_F(SmallStoreTest, TracesEachEvictionOnce) {
  for (int i = 0; i < 10'000; ++i) set("old-" + std::to_string(i), "value");
  const auto before = store_->summary().evictions;
  const auto traced_evictions = [&](const std::string& prefix, std::multiset<std::string>& keys) {
    Trace trace;
    for (int i = 0; i < 5000; ++i) {
      trace.begin(true);
      store_->put(ItemKey(prefix + std::to_string(i)), Put{}, "value", now, trace);
      auto rest = trace.keys();
      for (const auto& eviction : trace.evictions()) {
        keys.emplace(rest.substr(0, eviction.key_size));
        rest.remove_prefix(eviction.key_size);
      }
    }
  };
  std::multiset<std::string> keys;
  std::multiset<std::string> keys_of_other;
  std::thread other([&] { traced_evictions("left-", keys_of_other); });
  traced_evictions("right-", keys);
  other.join();
  keys.merge(keys_of_other);
  EXPECT_GT(keys.size(), 1000);
  EXPECT_EQ(keys.size(), store_->summary().evictions - before);
  EXPECT_EQ(std::set<std::string>(keys.begin(), keys.end()).size(), keys.size());
}

TEST_F(SmallStoreTest, MakesRoomForALargeItem) {
  for (int i = 0; i < 10'000; ++i) set("key-" + std::to_string(i), "value");
  EXPECT_EQ(set("large", std::string(200'000, 'x')), Outcome::done);
  EXPECT_LE(store_->summary().bytes, bytes);
  EXPECT_EQ(get("large"), std::string(200'000, 'x'));
  EXPECT_EQ(set("large", std::string(200'001, 'y')), Outcome::done);
  EXPECT_EQ(get("large"), std::string(200'001, 'y'));
}

// Two threads add up in one item, and store and erase others.
TEST_F(StoreTest, IsAtomicAmongThreads) {
  set("number", "0");
  constexpr int additions = 2000;
  const auto add = [&](const std::string& own_key) {
    Trace trace;
    for (int i = 0; i < additions; ++i) {
      store_->add(ItemKey("number"), Arithmetic{}, now, trace);
      store_->put(ItemKey(own_key), Put{}, std::to_string(i), now, trace);
      if (i % 7 == 0) store_->erase(ItemKey(own_key), Erase{}, now, trace);
    }
  };
  std::thread other(add, "left");
  add("right");
  other.join();
  EXPECT_EQ(get("number"), std::to_string(2 * additions));
}

}  // namespace
}  // namespace perdure::benchmarks::memcached
