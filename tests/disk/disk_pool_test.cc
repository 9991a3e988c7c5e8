// What a pool on a disk with a log beside it can, and what it refuses without losing anything.
#include <gtest/gtest.h>
#include <poll.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <cerrno>
#include <chrono>
#include <cstddef>
#include <fstream>
#include <functional>
#include <map>
#include <stdexcept>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "disk/change_record.h"
#include "disk/image_file.h"
#include "disk/log_file.h"
#include "disk/log_ring.h"
#include "folder.h"
#include "perdure/error.h"
#include "perdure/perdure.h"
#include "perdure/pool.h"
#include "pool/checksum.h"
#include "pool/format.h"
#include "pool/window.h"
#include "simulate/cutting_volume.h"

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

OpenOptions process() {
  OpenOptions options;
  options.durability = Durability::process;
  return options;
}

OpenOptions relaxed(unsigned lag_milliseconds) {
  OpenOptions options = power();
  options.acknowledgement = Acknowledgement::relaxed;
  options.lag_milliseconds = lag_milliseconds;
  return options;
}
constexpr unsigned for_ever = 1U << 30;

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

  /// \returns where the count lies in the pool.
  std::uint64_t make_with_ten() {
    Pool pool = Pool::open(path(), power());
    Numbers& numbers = pool.root<Numbers>("numbers");
    add(numbers, 0, 10);
    return (reinterpret_cast<std::uintptr_t>(&numbers.count) - pool::window_base) % pool::slot_bytes;
  }
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

/// A process that appends records to the log of a pool, and is killed.
void append_and_die(const std::filesystem::path& path,
                    const std::vector<std::pair<RecordTag, std::vector<std::uint64_t>>>& records) {
  const auto image = open_image(path);
  const auto log = open_log(volume(), log_path(path), path);
  const Superblock superblock = superblocks_of(*image, *log).find(path);
  const LogEnd end = read_log(*log, superblock, path, [](const LogRecord&) {});
  LogRing ring(*log, path, superblock, end, {.buffer_bytes = 16 * block_bytes});
  ASSERT_EQ(ring.begin_run(), 0);
  for (const auto& [tag, payload] : records) ring.append(static_cast<std::uint32_t>(tag), payload);
  ring.await(ring.appended());
}

/// A change is in several records, and a crash comes between them; the next run has one with the same number.
TEST_F(DiskPool, DoesNotMixTheChangesOfTwoRuns) {
  const std::uint64_t offset = make_with_ten();
  constexpr std::uint64_t first = PartNumber{0, 0}.word();
  constexpr std::uint64_t second = PartNumber{0, 1}.word();
  constexpr std::uint64_t one_word = 1;
  append_and_die(path(), {{RecordTag::part, {first, offset, one_word, 77}}});
  append_and_die(path(), {{RecordTag::part, {first, offset, one_word, 10}}, {RecordTag::last_part, {second}}});
  expect_count(10);
  append_and_die(path(), {{RecordTag::part, {first, offset, one_word}}});
  append_and_die(path(), {{RecordTag::part, {first, offset}}, {RecordTag::last_part, {second, one_word, 10}}});
  expect_count(10);
}

/// The log begins between two of the records of a change, which a checkpoint has written.
TEST_F(DiskPool, LeavesOutAChangeThatBeganBeforeTheLog) {
  const std::uint64_t offset = make_with_ten();
  const std::uint64_t rest_of_an_item[] = {77, 77, 77};
  const PartNumber second{0, 1};
  const PartNumber third{0, 2};
  append_and_die(path(), {{RecordTag::part, {second.word(), rest_of_an_item[0], offset, 1, 77}},
                          {RecordTag::last_part, {third.word(), rest_of_an_item[1], rest_of_an_item[2]}}});
  expect_count(10);
}

/// As an older version has left it, whose parts have no numbers: nothing is lost, and nothing made up.
TEST_F(DiskPool, RefusesPartsThatHaveNoNumbers) {
  make_with_ten();
  append_and_die(path(), {{RecordTag::part, {0, 1}}, {RecordTag::last_part, {0}}});
  for (const auto& [file, offset] :
       {std::pair(path(), pool::log_superblock_offset), std::pair(log_path(path()), 0UL)}) {
    std::fstream stream(file, std::ios::in | std::ios::out | std::ios::binary);
    Superblock superblock;
    stream.seekg(static_cast<std::streamoff>(offset)).read(reinterpret_cast<char*>(&superblock), sizeof superblock);
    superblock.version = 1;
    superblock.checksum = pool::checksum(&superblock, offsetof(Superblock, checksum));
    stream.seekp(static_cast<std::streamoff>(offset)).write(reinterpret_cast<char*>(&superblock), sizeof superblock);
  }
  for (int i = 0; i < 2; ++i)
    expect_refusal([&] { Pool::open(path(), power()); }, "has a log that an older version made");
}

TEST_F(DiskPool, GetsItsLogLater) {
  {
    Pool pool = Pool::open(path(), process());
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

TEST_F(DiskPool, RefusesTransactionsOverPoolsOfWhichOneHasNoLog) {
  Pool pool = Pool::open(path(), power());
  Pool other = Pool::open(folder_ / "other", process());
  Numbers& numbers = pool.root<Numbers>("numbers");
  Numbers& others = other.root<Numbers>("numbers");
  const auto write_both = [&] {
    TM_BEGIN {
      ++numbers.count;
      ++others.count;
    } TM_END;
  };
  const auto write_both_serially = [&] {
    TM_SERIAL {
      ++numbers.count;
      ++others.count;
    }
    TM_END;
  };
  expect_refusal<Error>(write_both, "a transaction wrote to several pools");
  expect_refusal<Error>(write_both_serially, "a transaction wrote to several pools");
  EXPECT_EQ(numbers.count, 0U);
  EXPECT_EQ(others.count, 0U);
  add(numbers, 0, 3);
  const PoolScope scope(other);
  add(others, 0, 3);
  EXPECT_EQ(others.count, 3U);
}

TEST_F(DiskPool, TakesTransactionsOverSeveralPools) {
  {
    Pool pool = Pool::open(path(), power());
    Pool other = Pool::open(folder_ / "other", power());
    Numbers& numbers = pool.root<Numbers>("numbers");
    Numbers& others = other.root<Numbers>("numbers");
    for (int i = 0; i < 20; ++i) {
      TM_BEGIN {
        numbers.map[i] = i;
        ++numbers.count;
        ++others.count;
      } TM_END;
    }
    const PoolScope scope(pool);
    TM_BEGIN { others.block = new char[100]{"a block of the other pool"}; } TM_END;
  }
  expect_count(20);
  Pool pool = Pool::open(path(), power());
  Pool other = Pool::open(folder_ / "other", power());
  EXPECT_EQ(other.root<Numbers>("numbers").count, 20U);
  EXPECT_STREQ(other.root<Numbers>("numbers").block, "a block of the other pool");
}

TEST_F(DiskPool, TakesSerialTransactions) {
  {
    Pool pool = Pool::open(path(), power());
    Numbers& numbers = pool.root<Numbers>("numbers");
    TM_SERIAL {
      numbers.map[0] = 0;
      ++numbers.count;
    }
    TM_END;
    TM_BEGIN {
      numbers.map[1] = 1;
      become_serial();
      ++numbers.count;
    } TM_END;
    const auto fail = [&] {
      TM_SERIAL {
        numbers.map[2] = 2;
        ++numbers.count;
        throw std::runtime_error("not after all");
      }
      TM_END;
    };
    EXPECT_THROW(fail(), std::runtime_error);
    EXPECT_EQ(numbers.count, 2U);
  }
  expect_count(2);
}

TEST_F(DiskPool, RefusesASerialTransactionThatIsLargerThanItsLog) {
  constexpr std::size_t words = 100000;
  {
    Pool pool = Pool::open(path(), power());
    Numbers& numbers = pool.root<Numbers>("numbers");
    TM_BEGIN { numbers.block = new char[words * 8]; } TM_END;
    const auto fill = [&] {
      TM_SERIAL {
        ++numbers.count;
        auto* const all = reinterpret_cast<std::uint64_t*>(numbers.block);
        for (std::size_t i = 0; i < words; ++i) all[i] = i;
      }
      TM_END;
    };
    EXPECT_THROW(fill(), std::bad_alloc);
    EXPECT_EQ(numbers.count, 0U);
    add(numbers, 0, 5);
  }
  expect_count(5);
}

TEST_F(DiskPool, GetsALogByItself) { EXPECT_EQ(Pool::open(path()).report().medium, Medium::disk); }

TEST_F(DiskPool, LosesItsLogWhereThatIsAskedFor) {
  {
    Pool pool = Pool::open(path());
    add(pool.root<Numbers>("numbers"), 0, 3);
  }
  {
    Pool pool = Pool::open(path(), process());
    EXPECT_EQ(pool.report().medium, Medium::page_cache);
    EXPECT_EQ(pool.root<Numbers>("numbers").count, 3U);
    EXPECT_FALSE(std::filesystem::exists(folder_ / "pool.log"));
    add(pool.root<Numbers>("numbers"), 3, 5);
  }
  expect_count(5);
}

/// What a process leaves behind that ends without closing.
void add_and_end(const std::filesystem::path& path, int end) {
  const pid_t child = fork();
  if (child == 0) {
    auto* const pool = new Pool(Pool::open(path, power()));
    add(pool->root<Numbers>("numbers"), 0, end);
    _exit(0);
  }
  int status = 0;
  waitpid(child, &status, 0);
  EXPECT_EQ(status, 0);
}

TEST_F(DiskPool, SaysWhatItHasReplayed) {
  add_and_end(path(), 7);
  Pool pool = Pool::open(path(), power());
  EXPECT_EQ(pool.report().state, OpenReport::State::recovered);
  EXPECT_GE(pool.report().transactions_replayed, 7U);
  EXPECT_GT(pool.report().bytes_replayed, 7 * sizeof(int));
}

TEST_F(DiskPool, IsReadWithoutAChange) {
  add_and_end(path(), 7);
  const auto bytes_of = [](const std::filesystem::path& file) {
    std::ifstream stream(file, std::ios::binary);
    return std::string(std::istreambuf_iterator<char>(stream), {});
  };
  const std::string image = bytes_of(path());
  const std::string log = bytes_of(path().string() + ".log");
  OpenOptions reading;
  reading.read_only = true;
  for (int i = 0; i < 2; ++i) {
    Pool pool = Pool::open(path(), reading);
    EXPECT_EQ(pool.report().medium, Medium::disk);
    EXPECT_EQ(pool.report().state, OpenReport::State::recovered);
    EXPECT_EQ(pool.find_root<Numbers>("numbers")->count, 7U);
    EXPECT_EQ(pool.find_root<Numbers>("numbers")->map.size(), 7U);
  }
  EXPECT_TRUE(image == bytes_of(path()));
  EXPECT_TRUE(log == bytes_of(path().string() + ".log"));
  expect_count(7);
}

/// What is behind the end that the header says is no part of the pool.
TEST_F(DiskPool, MayHaveALongerFile) {
  {
    Pool pool = Pool::open(path(), power());
    add(pool.root<Numbers>("numbers"), 7, 10);
  }
  std::filesystem::resize_file(path(), std::uintmax_t{1} << 40);
  add_and_end(path(), 7);
  {
    OpenOptions reading;
    reading.read_only = true;
    EXPECT_EQ(Pool::open(path(), reading).find_root<Numbers>("numbers")->count, 10U);
  }
  expect_count(10);
  expect_count(10);
}

TEST_F(DiskPool, IsRefusedAfterACrashWithoutItsLogOrWithAnother) {
  add_and_end(path(), 3);
  add_and_end(folder_ / "other", 4);
  std::filesystem::rename(folder_ / "pool.log", folder_ / "kept");
  expect_refusal([&] { Pool::open(path(), power()); }, "has lost its log");
  expect_refusal([&] { Pool::open(path(), process()); }, "has lost its log");
  std::filesystem::copy(folder_ / "other.log", folder_ / "pool.log");
  expect_refusal([&] { Pool::open(path(), power()); }, "are not of one time");
  std::filesystem::rename(folder_ / "kept", folder_ / "pool.log");
  expect_count(3);
}

/// A copy of the file of a pool that was closed is a whole pool.
TEST_F(DiskPool, NeedsNoLogWhenItWasClosed) {
  {
    Pool pool = Pool::open(path(), power());
    add(pool.root<Numbers>("numbers"), 0, 3);
  }
  std::filesystem::copy_file(path(), folder_ / "backup");
  OpenOptions reading;
  reading.read_only = true;
  EXPECT_EQ(Pool::open(folder_ / "backup", reading).find_root<Numbers>("numbers")->count, 3U);
  EXPECT_EQ(Pool::open(folder_ / "backup", power()).root<Numbers>("numbers").count, 3U);
  EXPECT_TRUE(std::filesystem::exists(folder_ / "backup.log"));
  {
    Pool pool = Pool::open(path(), power());
    add(pool.root<Numbers>("numbers"), 3, 5);
  }
  std::filesystem::copy_file(folder_ / "backup", path(), std::filesystem::copy_options::overwrite_existing);
  expect_count(3);
}

/// What a removed pool has left behind is in nobody's way, and is kept if it holds something.
TEST_F(DiskPool, DoesNotUseTheLogOfAPoolThatWasThereBefore) {
  Pool::open(path(), power()).close();
  std::filesystem::remove(path());
  expect_count(0);
  EXPECT_FALSE(std::filesystem::exists(folder_ / "pool.log.orphan"));
  add_and_end(path(), 7);
  std::filesystem::rename(path(), folder_ / "moved");
  expect_count(0);
  std::filesystem::rename(folder_ / "pool.log.orphan", folder_ / "moved.log");
  EXPECT_EQ(Pool::open(folder_ / "moved", power()).root<Numbers>("numbers").count, 7U);
}

TEST_F(DiskPool, TakesATransactionThatMakesMoreThanItsLogHolds) {
  constexpr int nodes = 200000;
  {
    Pool pool = Pool::open(path(), power());
    Numbers& numbers = pool.root<Numbers>("numbers");
    add(numbers, -3, 0);
    TM_BEGIN {
      for (int i = 0; i < nodes; ++i) numbers.map.emplace_hint(numbers.map.end(), i, i);
      numbers.count += nodes;
    } TM_END;
  }
  Pool pool = Pool::open(path(), power());
  const Numbers& numbers = pool.root<Numbers>("numbers");
  ASSERT_EQ(numbers.map.size(), nodes + 3U);
  int next = -3;
  for (const auto& [key, value] : numbers.map) {
    ASSERT_EQ(key, next);
    ASSERT_EQ(value, next++);
  }
}

/// A child of a program whose pool has records that are not durable yet has nothing to do with them.
TEST_F(DiskPool, IsLeftAloneByAForkedChild) {
  Pool pool = Pool::open(path(), relaxed(for_ever));
  Numbers& numbers = pool.root<Numbers>("numbers");
  pool.sync();
  add(numbers, 0, 3);
  const CommitToken token = last_commit();
  const pid_t child = fork();
  if (child == 0) {
    static int number = 0;
    TM_BEGIN { ++number; } TM_END;
    int seen = 0;
    TM_BEGIN { seen = number; } TM_END;
    _exit(seen);
  }
  int status = 0;
  waitpid(child, &status, 0);
  EXPECT_EQ(WEXITSTATUS(status), 1) << status;
  EXPECT_FALSE(token.durable());
  add(numbers, 3, 5);
  pool.close();
  expect_count(5);
}

/// Of a crash, too: what the log holds is put into the file.
TEST_F(DiskPool, LosesItsLogAfterACrash) {
  add_and_end(path(), 7);
  {
    Pool pool = Pool::open(path(), process());
    EXPECT_EQ(pool.report().state, OpenReport::State::recovered);
    EXPECT_EQ(pool.report().medium, Medium::page_cache);
    EXPECT_EQ(pool.root<Numbers>("numbers").map.size(), 7U);
  }
  // A crash between the last steps leaves an empty log.
  std::ofstream(folder_ / "pool.log") << "";
  expect_count(7);
}

TEST_F(DiskPool, IsMovedWhereItsAddressIsTaken) {
  {
    Pool pool = Pool::open(path(), power());
    add(pool.root<Numbers>("numbers"), 0, 7);
  }
  std::filesystem::copy_file(path(), folder_ / "copy");
  std::filesystem::copy_file(folder_ / "pool.log", folder_ / "copy.log");
  Pool pool = Pool::open(path(), power());
  Pool copy = Pool::open(folder_ / "copy", power());
  EXPECT_NE(copy.report().moved_from, 0U);
  EXPECT_EQ(copy.root<Numbers>("numbers").count, 7U);
  EXPECT_EQ(copy.root<Numbers>("numbers").map.size(), 7U);
  {
    const PoolScope scope(copy);
    add(copy.root<Numbers>("numbers"), 7, 9);
  }
  copy.close();
  EXPECT_EQ(Pool::open(folder_ / "copy", power()).root<Numbers>("numbers").count, 9U);
  EXPECT_EQ(pool.root<Numbers>("numbers").count, 7U);
}

// -- memory -----------------------------------------------------------------------------------------------------------

/// Bytes that are in memory of this process alone.
std::size_t private_bytes() {
  std::ifstream smaps("/proc/self/smaps_rollup");
  std::size_t kilobytes = 0;
  for (std::string word; smaps >> word;)
    if (word == "Private_Dirty:") smaps >> kilobytes;
  return kilobytes * 1024;
}

struct Blocks {
  std::array<std::array<std::array<std::uint64_t, 2048>*, 1024>, 2> of_thread{};  // 16 KiB each
};

void fill(Blocks& blocks, std::size_t thread, std::uint64_t round) {
  for (std::size_t i = 0; i < blocks.of_thread[thread].size(); ++i) {
    TM_BEGIN {
      acknowledge(Acknowledgement::relaxed);
      auto*& block = blocks.of_thread[thread][i];
      if (block == nullptr || (i + round) % 3 == 0) {
        delete block;
        block = new std::array<std::uint64_t, 2048>{};
      }
      for (std::size_t k = 0; k < block->size(); k += 64) (*block)[k] = round * 1000000 + i;
    } TM_END;
  }
}

TEST_F(DiskPool, GivesMemoryBack) {
  constexpr std::size_t budget = std::size_t{2} << 20;
  constexpr std::size_t limit = std::size_t{14} << 20;
  constexpr std::uint64_t rounds = 4;
  OpenOptions options = power();
  options.log_bytes = std::size_t{4} << 20;
  options.memory_budget = budget;
  {
    Pool pool = Pool::open(path(), options);
    Blocks& blocks = pool.root<Blocks>("blocks");
    const std::size_t before = private_bytes();
    for (std::uint64_t round = 1; round <= rounds; ++round) {
      std::thread other([&] { fill(blocks, 1, round); });
      fill(blocks, 0, round);
      other.join();
    }
    // The checkpoint that is under way may yet have to take back what was stored to meanwhile.
    const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(30);
    while (private_bytes() - before >= limit && std::chrono::steady_clock::now() < end)
      std::this_thread::sleep_for(std::chrono::milliseconds(20));
    EXPECT_LT(private_bytes() - before, limit) << "of 32 MiB that were stored to";
  }
  Pool pool = Pool::open(path(), options);
  Blocks& blocks = pool.root<Blocks>("blocks");
  for (const auto& of_thread : blocks.of_thread)
    for (std::size_t i = 0; i < of_thread.size(); ++i)
      for (std::size_t k = 0; k < of_thread[i]->size(); k += 64) ASSERT_EQ((*of_thread[i])[k], rounds * 1000000 + i);
}

// -- acknowledgement --------------------------------------------------------------------------------------------------

TEST_F(DiskPool, ReturnsBeforeACommitIsDurableWhereThatIsAskedFor) {
  Pool pool = Pool::open(path(), relaxed(for_ever));
  Numbers& numbers = pool.root<Numbers>("numbers");
  pool.sync();
  add(numbers, 0, 1);
  const CommitToken first = last_commit();
  EXPECT_FALSE(first.durable());
  EXPECT_LT(pool.durable_up_to(), first.position());
  add(numbers, 1, 2);
  const CommitToken second = last_commit();
  EXPECT_GT(second.position(), first.position());
  second.wait();
  EXPECT_TRUE(first.durable());
  EXPECT_TRUE(second.durable());
  EXPECT_GE(pool.durable_up_to(), second.position());
  add(numbers, 2, 3);
  EXPECT_FALSE(last_commit().durable());
  pool.sync();
  EXPECT_TRUE(last_commit().durable());
  add(numbers, 3, 4);
  const CommitToken last = last_commit();
  pool.close();
  EXPECT_TRUE(last.durable()) << "closed";
  expect_count(4);
}

TEST_F(DiskPool, MakesDurableWithinItsLag) {
  Pool pool = Pool::open(path(), relaxed(5));
  add(pool.root<Numbers>("numbers"), 0, 1);
  const CommitToken token = last_commit();
  while (!token.durable()) std::this_thread::sleep_for(std::chrono::milliseconds(1));
}

TEST_F(DiskPool, LetsASingleTransactionChoose) {
  {
    Pool pool = Pool::open(path(), relaxed(for_ever));
    Numbers& numbers = pool.root<Numbers>("numbers");
    TM_BEGIN {
      acknowledge(Acknowledgement::sync);
      numbers.map[0] = 0;
      ++numbers.count;
    } TM_END;
    EXPECT_TRUE(last_commit().durable());
    add(numbers, 1, 2);
    EXPECT_FALSE(last_commit().durable()) << "for one transaction only";
    const auto roll_back = [&] {
      TM_BEGIN {
        acknowledge(Acknowledgement::sync);
        throw 1;
      } TM_END;
    };
    EXPECT_THROW(roll_back(), int);
    add(numbers, 2, 3);
    EXPECT_FALSE(last_commit().durable()) << "not for one that was rolled back";
  }
  Pool pool = Pool::open(path(), power());
  Numbers& numbers = pool.root<Numbers>("numbers");
  acknowledge(Acknowledgement::relaxed);  // outside of transactions
  add(numbers, 3, 4);
  EXPECT_TRUE(last_commit().durable());
  TM_BEGIN {
    acknowledge(Acknowledgement::relaxed);
    numbers.map[4] = 4;
    ++numbers.count;
  } TM_END;
  last_commit().wait();
  EXPECT_TRUE(last_commit().durable());
}

TEST_F(DiskPool, TellsWhoWantsToKnow) {
  Pool pool = Pool::open(path(), relaxed(for_ever));
  const int event = pool.durable_event();
  ASSERT_GE(event, 0);
  std::uint64_t times = 0;
  pool.sync();
  while (::read(event, &times, sizeof times) > 0) continue;
  add(pool.root<Numbers>("numbers"), 0, 1);
  const CommitToken token = last_commit();
  std::atomic<int> told{0};
  pool.on_durable([&](bool is_durable) { told = is_durable && token.durable() ? 1 : 2; });
  pollfd readable{.fd = event, .events = POLLIN, .revents = 0};
  EXPECT_EQ(poll(&readable, 1, 10000), 1);
  while (told == 0) std::this_thread::sleep_for(std::chrono::milliseconds(1));
  EXPECT_EQ(told, 1);
}

TEST_F(DiskPool, IsDurableAtOnceWhereThereIsNoLog) {
  Pool pool = Pool::open(path(), process());
  add(pool.root<Numbers>("numbers"), 0, 1);
  EXPECT_TRUE(last_commit().durable());
  last_commit().wait();
  pool.sync();
  EXPECT_EQ(pool.durable_event(), -1);
  int told = 0;
  pool.on_durable([&](bool is_durable) { told = is_durable ? 1 : 2; });
  EXPECT_EQ(told, 1);
}

// -- errors -----------------------------------------------------------------------------------------------------------

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
    simulate::CuttingVolume volume(1, call, simulate::CuttingVolume::End::kill);
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
