// What a pool on a disk with a log beside it can, and what it refuses without losing anything.
#include <gtest/gtest.h>

#include <cerrno>
#include <functional>
#include <map>
#include <string>

#include "cutting_volume.h"
#include "disk/image_file.h"
#include "folder.h"
#include "perdure/error.h"
#include "perdure/perdure.h"
#include "perdure/pool.h"

namespace perdure::disk {
namespace {

struct Numbers {
  std::map<int, int> map;
  std::uint64_t count = 0;
  char* block = nullptr;
};

OpenOptions power() {
  OpenOptions options;
  options.durability = Durability::power;
  options.log_bytes = std::size_t{1} << 20;
  return options;
}

void add(Numbers& numbers, int first, int end) {
  for (int i = first; i < end; ++i) {
    TM_BEGIN {
      numbers.map[i] = i;
      ++numbers.count;
    } TM_END;
  }
}

/// What is refused, and by which words.
template <class E = PoolError>
void expect_refusal(const std::function<void()>& call, const std::string& words) {
  try {
    call();
    ADD_FAILURE() << "not refused: " << words;
  } catch (const E& error) {
    EXPECT_NE(std::string(error.what()).find(words), std::string::npos) << error.what();
  }
}

class DiskPool : public testing::Test {
 protected:
  ~DiskPool() override { set_volume(nullptr); }

  void expect_count(std::uint64_t count) {
    Pool pool = Pool::open(path(), power());
    EXPECT_EQ(pool.root<Numbers>("numbers").count, count);
    EXPECT_EQ(pool.root<Numbers>("numbers").map.size(), count);
  }
  std::filesystem::path path() const { return folder_ / "pool"; }

  Folder folder_;
};

TEST_F(DiskPool, SaysWhatItIs) {
  {
    Pool pool = Pool::open(path(), power());
    EXPECT_EQ(pool.report().state, OpenReport::State::created);
    EXPECT_EQ(pool.report().medium, Medium::disk);
    add(pool.root<Numbers>("numbers"), 0, 10);
  }
  EXPECT_TRUE(std::filesystem::exists(folder_ / "pool.log"));
  EXPECT_EQ(Pool::open(path(), power()).report().state, OpenReport::State::clean);
  expect_count(10);
}

TEST_F(DiskPool, GetsItsLogLater) {
  {
    Pool pool = Pool::open(path());
    EXPECT_EQ(pool.report().medium, Medium::page_cache);
    add(pool.root<Numbers>("numbers"), 0, 10);
  }
  {
    Pool pool = Pool::open(path(), power());
    EXPECT_EQ(pool.report().state, OpenReport::State::clean);
    EXPECT_EQ(pool.report().medium, Medium::disk);
    add(pool.root<Numbers>("numbers"), 10, 20);
  }
  expect_count(20);
}

TEST_F(DiskPool, TakesBlocksThatAreLargerThanItsLog) {
  constexpr std::size_t bytes = std::size_t{3} << 20;
  {
    Pool pool = Pool::open(path(), power());
    Numbers& numbers = pool.root<Numbers>("numbers");
    TM_BEGIN { numbers.block = new char[bytes]; } TM_END;
    TM_BEGIN {
      for (std::size_t i = 0; i < bytes; i += 4096) numbers.block[i] = 'x';
    } TM_END;
  }
  Pool pool = Pool::open(path(), power());
  for (std::size_t i = 0; i < bytes; i += 4096) ASSERT_EQ(pool.root<Numbers>("numbers").block[i], 'x');
}

TEST_F(DiskPool, RefusesATransactionThatIsLargerThanItsLog) {
  constexpr std::size_t bytes = std::size_t{3} << 20;
  {
    Pool pool = Pool::open(path(), power());
    Numbers& numbers = pool.root<Numbers>("numbers");
    TM_BEGIN { numbers.block = new char[bytes]; } TM_END;
    const auto fill = [&] {
      TM_BEGIN {
        ++numbers.count;
        for (std::size_t i = 0; i < bytes; ++i) numbers.block[i] = 'y';
      } TM_END;
    };
    EXPECT_THROW(fill(), std::bad_alloc);
    EXPECT_EQ(numbers.count, 0U);
    add(numbers, 0, 5);
  }
  expect_count(5);
}

TEST_F(DiskPool, IsRefusedWhereItsLogWouldBeIgnored) {
  {
    Pool pool = Pool::open(path(), power());
    add(pool.root<Numbers>("numbers"), 0, 10);
  }
  expect_refusal([&] { Pool::open(path()); }, "has a log beside it");
  OpenOptions reading;
  reading.read_only = true;
  expect_refusal([&] { Pool::open(path(), reading); }, "has a log beside it");
  reading.durability = Durability::power;
  expect_refusal([&] { Pool::open(path(), reading); }, "cannot be opened for reading");
  expect_count(10);
}

TEST_F(DiskPool, IsRefusedWithoutItsLogOrWithAnother) {
  Pool::open(path(), power()).close();
  Pool::open(folder_ / "other", power()).close();
  std::filesystem::rename(folder_ / "pool.log", folder_ / "kept");
  expect_refusal([&] { Pool::open(path(), power()); }, "has lost its log");
  std::filesystem::copy(folder_ / "other.log", folder_ / "pool.log");
  expect_refusal([&] { Pool::open(path(), power()); }, "are not of one time");
  std::filesystem::rename(folder_ / "kept", folder_ / "pool.log");
  expect_count(0);
  // A new pool does not take the place of a log that belongs to one elsewhere.
  std::filesystem::rename(path(), folder_ / "moved");
  expect_refusal([&] { Pool::open(path(), power()); }, "is the log of another pool");
}

TEST_F(DiskPool, RefusesTransactionsOverSeveralPools) {
  Pool pool = Pool::open(path(), power());
  Pool other = Pool::open(folder_ / "other");
  Numbers& numbers = pool.root<Numbers>("numbers");
  Numbers& others = other.root<Numbers>("numbers");
  const auto write_both = [&] {
    TM_BEGIN {
      ++numbers.count;
      ++others.count;
    } TM_END;
  };
  expect_refusal<Error>(write_both, "a transaction wrote to several pools");
  const auto link = [&] {
    const PoolScope scope(pool);
    TM_BEGIN { others.block = new char[100]; } TM_END;
  };
  expect_refusal<Error>(link, "a transaction wrote to several pools");
  EXPECT_EQ(numbers.count, 0U);
  EXPECT_EQ(others.count, 0U);
  EXPECT_EQ(others.block, nullptr);
  add(numbers, 0, 3);
  const PoolScope scope(other);
  add(others, 0, 3);
  EXPECT_EQ(others.count, 3U);
}

TEST_F(DiskPool, RefusesSerialTransactions) {
  Pool pool = Pool::open(path(), power());
  Numbers& numbers = pool.root<Numbers>("numbers");
  const auto begin_serially = [&] {
    TM_SERIAL { ++numbers.count; }
    TM_END;
  };
  const auto go_on_serially = [&] {
    TM_BEGIN {
      ++numbers.count;
      become_serial();
    } TM_END;
  };
  expect_refusal<Error>(begin_serially, "only a serial transaction can");
  expect_refusal<Error>(go_on_serially, "only a serial transaction can");
  EXPECT_EQ(numbers.count, 0U);
  add(numbers, 0, 3);
}

class FailingDisk : public DiskPool, public testing::WithParamInterface<int> {};

/// Counts up to where the disk fails. \returns how far the program was told that it has come.
std::uint64_t count_until_told(Pool& pool) {
  Numbers& numbers = pool.root<Numbers>("numbers");
  std::uint64_t told = numbers.count;
  const auto go_on = [&] {
    for (;; ++told) add(numbers, static_cast<int>(told), static_cast<int>(told) + 1);
  };
  EXPECT_THROW(go_on(), durability_error);
  EXPECT_THROW(add(numbers, -1, 0), durability_error) << "nothing more is taken";
  std::uint64_t read = 0;
  TM_BEGIN { read = numbers.count; } TM_END;
  EXPECT_GE(read, told);
  return told;
}

/// From some call on all fail: who waits is told, nobody else is told that it counts, and reads go on.
TEST_P(FailingDisk, IsTold) {
  {
    Pool pool = Pool::open(path(), power());
    add(pool.root<Numbers>("numbers"), 0, 1);
  }
  std::uint64_t told = 1;
  // In opening, in commits, in checkpoints.
  for (std::size_t call = 1; call < 600; call += call < 30 ? 1 : 37) {
    CuttingVolume volume(1, call, CuttingVolume::End::kill);
    volume.fail_with(GetParam());
    set_volume(&volume);
    try {
      Pool pool = Pool::open(path(), power());
      told = count_until_told(pool);
      EXPECT_THROW(pool.close(), PoolError);
    } catch (const Error&) {
      EXPECT_LT(call, 30U) << "the pool was not even opened";
    }
    set_volume(nullptr);
    Pool again = Pool::open(path(), power());
    const Numbers& found = again.root<Numbers>("numbers");
    ASSERT_GE(found.count, told) << "call " << call;
    ASSERT_LE(found.count, told + 1) << "call " << call;
    ASSERT_EQ(found.map.size(), found.count);
    told = found.count;
  }
}
INSTANTIATE_TEST_SUITE_P(Errors, FailingDisk, testing::Values(EIO, ENOSPC));

}  // namespace
}  // namespace perdure::disk
