#include <fcntl.h>
#include <sys/mman.h>
#include <sys/mount.h>

#include <chrono>
#include <cstring>
#include <functional>
#include <random>
#include <thread>

#include "alloc/heap.h"
#include "perdure/pool.h"
#include "pool/header.h"
#include "pool_test.h"

namespace perdure {
namespace {

using Kind = PoolError::Kind;
using testing::flip_byte;
using testing::read_all;
using testing::write_all;

/// What the descriptor of a free superblock is.
std::string word_of_free(std::uint64_t superblock) {
  const std::uint64_t word = alloc::encode(superblock, {});
  return {reinterpret_cast<const char*>(&word), sizeof word};
}

class RefusalTest : public testing::PoolTest {
 protected:
  void make_pool() {
    const Pool pool = Pool::open(path());
    alloc::current_heap()->deallocate(alloc::current_heap()->allocate(64));
  }

  /// Opening is refused so, and not a byte of the file changes.
  void expect_refused(Kind kind, const std::string& part) {
    const std::string before = read_all(path());
    EXPECT_TRUE(testing::refuses([&] { Pool::open(path(), {.move_if_address_taken = false}); }, kind, path(), part));
    EXPECT_EQ(read_all(path()), before) << "the file was changed";
    EXPECT_EQ(alloc::current_heap(), nullptr);
  }

  /// Changes both copies of the header, with a valid checksum.
  void change_header(const std::function<void(pool::Header&)>& change) {
    std::string bytes = read_all(path());
    pool::Header header;
    std::memcpy(&header, bytes.data(), sizeof(header));
    change(header);
    pool::seal(header);
    std::memcpy(bytes.data(), &header, sizeof(header));
    std::memcpy(bytes.data() + pool::page_bytes, &header, sizeof(header));
    write_all(path(), bytes);
  }
};

TEST_F(RefusalTest, SomethingElse) {
  write_all(path(), std::string(100000, 'x'));
  expect_refused(Kind::not_a_pool, "not a Perdure pool");
  write_all(path(), "short");
  expect_refused(Kind::not_a_pool, "not a Perdure pool");
}

TEST_F(RefusalTest, EmptyFile) {
  write_all(path(), "");
  expect_refused(Kind::not_a_pool, "the file is empty");
}

TEST_F(RefusalTest, Truncated) {
  make_pool();
  const std::string whole = read_all(path());
  for (const std::size_t bytes : {whole.size() - 1, whole.size() / 2, std::size_t{70000}, std::size_t{8192},
                                  std::size_t{5000}, std::size_t{4096}, std::size_t{4095}, std::size_t{20}}) {
    write_all(path(), whole.substr(0, bytes));
    expect_refused(Kind::truncated, "truncated");
  }
}

TEST_F(RefusalTest, BothCopiesOfTheHeaderDamaged) {
  make_pool();
  flip_byte(path(), 64);
  flip_byte(path(), 4096 + 1000);
  expect_refused(Kind::damaged, "both copies of the header are damaged");
}

TEST_F(RefusalTest, NewerVersion) {
  make_pool();
  change_header([](pool::Header& header) { header.version = pool::format_version + 1; });
  expect_refused(Kind::wrong_version, "version " + std::to_string(pool::format_version + 1));
}

TEST_F(RefusalTest, UnknownIncompatibleFeature) {
  make_pool();
  change_header([](pool::Header& header) { header.incompatible_features |= 1 << 30; });
  expect_refused(Kind::wrong_version, "bits 0x40000000");
}

TEST_F(RefusalTest, UnknownCompatibleFeatureIsFine) {
  make_pool();
  change_header([](pool::Header& header) { header.compatible_features = 4; });
  EXPECT_EQ(Pool::open(path()).report().state, OpenReport::State::clean);
}

TEST_F(RefusalTest, HeaderThatContradictsItself) {
  make_pool();
  const std::string whole = read_all(path());
  const std::function<void(pool::Header&)> changes[] = {
      [](pool::Header& header) { header.superblocks = 0; },
      [](pool::Header& header) { header.superblocks = ~0ull; },
      [](pool::Header& header) { header.granularity = 48; },
      [](pool::Header& header) { header.superblock_bytes = 4096; },
      [](pool::Header& header) { header.state = static_cast<pool::State>(9); },
  };
  for (const auto& change : changes) {
    write_all(path(), whole);
    change_header(change);
    expect_refused(Kind::damaged, "contradicts itself");
  }
}

TEST_F(RefusalTest, OtherWindow) {
  make_pool();
  change_header([](pool::Header& header) {
    header.window_base = header.address = 0x7000000000;
    header.slot_bytes = std::uint64_t{1} << 35;
  });
  expect_refused(Kind::address_taken, "0x7000000000");
}

TEST_F(RefusalTest, MoreAddressSpaceThanAPoolCanTake) {
  make_pool();
  const std::string whole = read_all(path());
  for (const std::uint64_t bytes : {(pool::most_slots_of_pool + 1) * pool::slot_bytes, ~std::size_t{0}}) {
    write_all(path(), whole);
    change_header([bytes](pool::Header& header) {
      header.incompatible_features |= pool::large;
      header.more_directory = pool::first_superblock + 1;
      header.slot_bytes = bytes;
    });
    expect_refused(Kind::address_taken, "such a pool of this program at most");
    EXPECT_THROW(pool::Mapping::open_for_moving(path()), PoolError);
  }
}

TEST_F(RefusalTest, DamagedDirectoryAndDescriptors) {
  make_pool();
  flip_byte(path(), pool::directory_offset + 5);
  expect_refused(Kind::damaged, "entry 0 of the directory");
  flip_byte(path(), pool::directory_offset + 5);
  const std::size_t descriptors = pool::first_superblock * pool::superblock_bytes;
  flip_byte(path(), descriptors + 8 * 3);
  expect_refused(Kind::damaged, "superblock 3");
  flip_byte(path(), descriptors + 8 * 3);
  EXPECT_EQ(Pool::open(path()).report().state, OpenReport::State::clean);
}

/// A page of zeros, which is what is left where a write was lost, must not make blocks in use free.
TEST_F(RefusalTest, LostDescriptors) {
  make_pool();
  std::string contents = read_all(path());
  contents.replace(pool::first_superblock * pool::superblock_bytes, pool::page_bytes, pool::page_bytes, '\0');
  write_all(path(), contents);
  expect_refused(Kind::damaged, "the descriptor of superblock");
}

/// There, descriptors of free superblocks are 0, and stay so.
TEST_F(RefusalTest, PoolFromBeforeFreeSuperblocksHadChecks) {
  make_pool();
  std::string contents = read_all(path());
  for (std::uint64_t number = 0; number < pool::superblocks_per_segment; ++number) {
    const std::size_t place = pool::first_superblock * pool::superblock_bytes + number * 8;
    if (contents.compare(place, 8, word_of_free(number)) == 0) contents.replace(place, 8, 8, '\0');
  }
  write_all(path(), contents);
  change_header([](pool::Header& header) { header.incompatible_features &= ~pool::checked_free; });
  for (int i = 0; i < 2; ++i) {
    const Pool pool = Pool::open(path());
    EXPECT_EQ(pool.report().state, OpenReport::State::clean);
    alloc::current_heap()->deallocate(alloc::current_heap()->allocate(10 * pool::superblock_bytes));
  }
  const std::string used = read_all(path());
  for (std::uint64_t number = 0; number < pool::superblocks_per_segment; ++number)
    EXPECT_NE(used.compare(pool::first_superblock * pool::superblock_bytes + number * 8, 8, word_of_free(number)), 0);
}

TEST_F(RefusalTest, HeaderOlderThanTheRest) {
  make_pool();
  const std::string small = read_all(path()).substr(0, pool::header_copies * pool::page_bytes);
  {
    const Pool pool = Pool::open(path());
    for (int i = 0; i < 30; ++i) (void)alloc::current_heap()->allocate(pool::superblock_bytes);
  }
  write_all(path(), small + read_all(path()).substr(small.size()));
  expect_refused(Kind::damaged, "older than the rest");
}

TEST_F(RefusalTest, DamagedWatermark) {
  make_pool();
  for (const std::size_t number : {0, 8}) {
    flip_byte(path(), pool::watermark_offset + number);
    expect_refused(Kind::damaged, "the page at offset 12288, which says what of its logs holds");
    flip_byte(path(), pool::watermark_offset + number);
  }
}

TEST_F(RefusalTest, DamagedRoot) {
  make_pool();
  flip_byte(path(), pool::root_table_offset + 256 + 3);
  expect_refused(Kind::damaged, "root number 1");
}

TEST_F(RefusalTest, OpenInThisProcess) {
  Pool pool = Pool::open(path());
  EXPECT_TRUE(testing::refuses([&] { Pool::open(path()); }, Kind::in_use, path(), "already open in this process"));
  const auto link = in_directory("link");
  std::filesystem::create_hard_link(path(), link);
  EXPECT_TRUE(testing::refuses([&] { Pool::open(link); }, Kind::in_use, link, path().string()));
  pool.close();
  EXPECT_EQ(Pool::open(link).report().state, OpenReport::State::clean);
}

TEST_F(RefusalTest, OpenInAnotherProcess) {
  int ready[2], done[2];
  ASSERT_EQ(pipe(ready) + pipe(done), 0);
  const pid_t child = fork();
  char byte = 0;
  if (child == 0) {
    close(done[1]);
    const Pool pool = Pool::open(path());
    [[maybe_unused]] const auto put = write(ready[1], "x", 1);
    [[maybe_unused]] const auto got = read(done[0], &byte, 1);
    _exit(0);
  }
  ASSERT_EQ(read(ready[0], &byte, 1), 1);
  EXPECT_TRUE(testing::refuses([&] { Pool::open(path()); }, Kind::in_use, path(), "another process"));
  close(done[1]);
  waitpid(child, nullptr, 0);
  EXPECT_EQ(Pool::open(path()).report().state, OpenReport::State::recovered) << "the lock ends with the process";
  for (const int end : {ready[0], ready[1], done[0]}) close(end);
}

/// As after `timeout --signal=KILL`, which kills itself, too, and so does not wait for the other.
TEST_F(RefusalTest, OpenInAProcessThatEnds) {
  make_pool();
  const testing::Pipe is_open, ends;
  const pid_t child = fork();
  if (child == 0) {
    const Pool pool = Pool::open(path());
    is_open.signal();
    ends.wait();
    std::this_thread::sleep_for(std::chrono::milliseconds(100));
    _exit(0);
  }
  is_open.wait();
  ends.signal();
  EXPECT_EQ(Pool::open(path()).report().state, OpenReport::State::recovered);
  waitpid(child, nullptr, 0);
}

TEST_F(RefusalTest, AddressTakenByAnotherPool) {
  make_pool();
  std::filesystem::copy(path(), in_directory("copy"));
  const Pool pool = Pool::open(path());
  const auto copy = in_directory("copy");
  EXPECT_TRUE(testing::refuses([&] { Pool::open(copy, {.move_if_address_taken = false}); }, Kind::address_taken, copy,
                               path().string()));
}

TEST_F(RefusalTest, AddressTakenBySomethingElse) {
  make_pool();
  pool::Header header;
  std::memcpy(&header, read_all(path()).data(), sizeof(header));
  void* const there = reinterpret_cast<void*>(header.address + (1 << 20));
  ASSERT_EQ(mmap(there, 4096, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED_NOREPLACE, -1, 0), there);
  expect_refused(Kind::address_taken, "mapped something else");
  munmap(there, 4096);
  EXPECT_EQ(Pool::open(path()).report().state, OpenReport::State::clean);
}

TEST_F(RefusalTest, AllAddressesTaken) {
  std::vector<Pool> pools;
  for (std::size_t i = 0; i < pool::slot_count; ++i) pools.push_back(Pool::open(in_directory(std::to_string(i))));
  EXPECT_TRUE(testing::refuses([&] { Pool::open(path()); }, Kind::address_taken, path(), "all"));
  EXPECT_FALSE(std::filesystem::exists(path()));
}

TEST_F(RefusalTest, Directory) {
  EXPECT_TRUE(testing::refuses([&] { Pool::open(directory_); }, Kind::usage, directory_, "is a directory"));
}

TEST_F(RefusalTest, NotARegularFile) {
  ASSERT_EQ(mkfifo(path().c_str(), 0600), 0);
  EXPECT_TRUE(testing::refuses([&] { Pool::open(path()); }, Kind::usage, path(), "not a regular file"));
}

TEST_F(RefusalTest, DirectoryMissing) {
  const auto missing = directory_ / "none" / "a.pool";
  EXPECT_TRUE(testing::refuses([&] { Pool::open(missing); }, Kind::system, missing, "Create its directory"));
  const auto below_file = path() / "a.pool";
  write_all(path(), "x");
  EXPECT_TRUE(testing::refuses([&] { Pool::open(below_file); }, Kind::system, below_file, "Create its directory"));
}

TEST_F(RefusalTest, DanglingLink) {
  std::filesystem::create_symlink("nowhere", path());
  EXPECT_TRUE(testing::refuses([&] { Pool::open(path()); }, Kind::system, path(), "symbolic link"));
  EXPECT_TRUE(std::filesystem::is_symlink(path()));
}

TEST_F(RefusalTest, LimitTooSmall) {
  EXPECT_TRUE(
      testing::refuses([&] { Pool::open(path(), {.size_limit = 1000}); }, Kind::usage, path(), "at least 1 MiB"));
  EXPECT_FALSE(std::filesystem::exists(path()));
}

TEST_F(RefusalTest, NoPermission) {
  if (geteuid() != 0) {
    std::filesystem::permissions(directory_, std::filesystem::perms::none);
    EXPECT_TRUE(testing::refuses([&] { Pool::open(path()); }, Kind::no_permission, path(), "permission"));
    std::filesystem::permissions(directory_, std::filesystem::perms::owner_all);
    return;
  }
  // The superuser is denied nothing: be nobody for a while.
  make_pool();
  std::filesystem::permissions(path(), std::filesystem::perms::owner_all);
  std::filesystem::permissions(directory_, std::filesystem::perms::owner_all | std::filesystem::perms::others_exec);
  const int status = testing::in_child([&] {
    constexpr uid_t nobody = 65534;
    if (setuid(nobody) != 0) _exit(2);
    const auto fresh = in_directory("fresh");
    const bool denied = testing::refuses([&] { Pool::open(path()); }, Kind::no_permission, path(), "permission") &&
                        testing::refuses([&] { Pool::open(fresh); }, Kind::no_permission, fresh, "permission");
    _exit(denied ? 0 : 1);
  });
  if (WEXITSTATUS(status) == 2) GTEST_SKIP() << "cannot become another user";
  EXPECT_EQ(status, 0);
}

TEST_F(RefusalTest, RandomDamageNeverCrashes) {
  {
    const Pool pool = Pool::open(path());
    for (const std::size_t bytes : {64, 5000, 100000}) (void)alloc::current_heap()->allocate(bytes);
  }
  const std::string whole = read_all(path());
  std::mt19937_64 random(42);
  int refused = 0;
  for (int i = 0; i < 300; ++i) {
    std::string bytes = whole;
    for (int flips = 0; flips < 1 + i % 4; ++flips) {
      char& byte = bytes[random() % (i % 2 == 0 ? 16384 : bytes.size())];
      byte = static_cast<char>(byte ^ (1 << (random() % 8)));
    }
    if (i % 10 == 0) bytes.resize(random() % bytes.size());
    write_all(path(), bytes);
    try {
      const Pool pool = Pool::open(path());
      (void)alloc::current_heap()->allocate(100);
    } catch (const PoolError& error) {
      EXPECT_EQ(error.path(), path());
      ++refused;
    }
  }
  EXPECT_GT(refused, 20);
}

}  // namespace
}  // namespace perdure
