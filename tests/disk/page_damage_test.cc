// Pages of a pool on a disk that the device has changed: they are found, and named; and nothing else is taken for such
// a page.
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <cerrno>
#include <chrono>
#include <filesystem>
#include <fstream>
#include <functional>
#include <map>
#include <string>
#include <thread>
#include <vector>

#include "disk/image_file.h"
#include "disk/page_sums.h"
#include "disk/verify_image.h"
#include "folder.h"
#include "perdure/error.h"
#include "perdure/perdure.h"
#include "perdure/pool.h"
#include "pool/format.h"
#include "special_volume.h"

namespace perdure::disk {
namespace {

struct Numbers {
  std::map<int, int> map;
  std::uint64_t count = 0;
  char* large = nullptr;
};

OpenOptions power() {
  OpenOptions options;
  options.durability = Durability::power;
  options.log_bytes = std::size_t{1} << 20;
  return options;
}

OpenOptions verifying() {
  OpenOptions options = power();
  options.verify_pages = true;
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

void make_large(Numbers& numbers) {
  constexpr std::size_t bytes = std::size_t{1} << 18;
  TM_BEGIN {
    numbers.large = new char[bytes];
    for (std::size_t i = 0; i < bytes; ++i) numbers.large[i] = 'x';
  } TM_END;
}

/// Body runs in a process that is killed then: what it opens it leaves open.
void in_killed_process(const std::function<void()>& body) {
  const pid_t child = fork();
  if (child == 0) {
    body();
    _exit(42);
  }
  int status = 0;
  waitpid(child, &status, 0);
  ASSERT_EQ(WEXITSTATUS(status), 42);
}

class PageDamage : public testing::Test {
 protected:
  ~PageDamage() override { set_volume(nullptr); }

  std::filesystem::path path() const { return folder_ / "pool"; }

  /// A pool that was closed. \returns the offsets of some of what is in it.
  struct Offsets {
    std::uint64_t count;
    std::uint64_t large;
  };
  Offsets make() const {
    Pool pool = Pool::open(path(), power());
    auto& numbers = pool.root<Numbers>("numbers");
    add(numbers, 0, 300);
    make_large(numbers);
    return {offset_of(&numbers.count), offset_of(numbers.large + 100000)};
  }
  static std::uint64_t offset_of(const void* address) {
    return reinterpret_cast<std::uintptr_t>(address) % pool::slot_bytes;
  }

  void change_byte(std::uint64_t offset) const {
    std::fstream file(path(), std::ios::in | std::ios::out | std::ios::binary);
    file.seekg(static_cast<std::streamoff>(offset));
    const int was = file.get();
    file.seekp(static_cast<std::streamoff>(offset));
    file.put(static_cast<char>(was ^ 0x10));
  }

  void expect_refused(const OpenOptions& options, std::uint64_t offset) const {
    try {
      Pool::open(path(), options);
      ADD_FAILURE() << "not refused";
    } catch (const PoolError& error) {
      EXPECT_EQ(error.kind(), PoolError::Kind::damaged);
      const std::string page = "the page at offset " + std::to_string(offset / block_bytes * block_bytes);
      EXPECT_NE(std::string(error.what()).find(page), std::string::npos) << error.what();
    }
  }

  void expect_no_damage() const {
    const PageCheck check = check_pages(path());
    EXPECT_EQ(check.sums, PageSums::State::right);
    EXPECT_TRUE(check.damaged.empty()) << "page " << check.damaged.front();
    EXPECT_EQ(check.verified, std::filesystem::file_size(path()) / block_bytes);
  }

  Folder folder_;
};

TEST_F(PageDamage, IsNotSeenWhereThereIsNone) {
  make();
  expect_no_damage();
  in_killed_process([this] { add((new Pool(Pool::open(path(), power())))->root<Numbers>("numbers"), 300, 400); });
  Pool::open(path(), verifying());
  expect_no_damage();
}

TEST_F(PageDamage, IsFoundAndNamed) {
  const Offsets offsets = make();
  change_byte(offsets.large);
  const PageCheck check = check_pages(path());
  ASSERT_EQ(check.damaged.size(), 1U);
  EXPECT_EQ(check.damaged.front(), offsets.large / block_bytes);
  expect_refused(verifying(), offsets.large);
  change_byte(offsets.large);
  expect_no_damage();
}

/// A page that the device has lost, or has put elsewhere.
TEST_F(PageDamage, IsAPageOfZerosOrAnotherOne) {
  const Offsets offsets = make();
  const std::uint64_t page = offsets.large / block_bytes;
  std::string content(block_bytes, '\0');
  std::fstream file(path(), std::ios::in | std::ios::out | std::ios::binary);
  file.seekp(static_cast<std::streamoff>(page * block_bytes));
  file << content << std::flush;
  ASSERT_EQ(check_pages(path()).damaged, std::vector{page});
  file.seekg(static_cast<std::streamoff>(offsets.count / block_bytes * block_bytes));
  file.read(content.data(), static_cast<std::streamsize>(content.size()));
  file.seekp(static_cast<std::streamoff>(page * block_bytes));
  file << content << std::flush;
  ASSERT_EQ(check_pages(path()).damaged, std::vector{page});
}

TEST_F(PageDamage, IsRefusedInTheFirstPages) {
  make();
  change_byte(pool::root_table_offset + 40000);
  expect_refused(power(), pool::root_table_offset + 40000);
}

/// Recovery changes the page: it would get a right checksum.
TEST_F(PageDamage, IsRefusedWhereRecoveryReadsAndStaysRefused) {
  const Offsets offsets = make();
  in_killed_process([this] {
    Numbers& numbers = (new Pool(Pool::open(path(), power())))->root<Numbers>("numbers");
    TM_BEGIN { numbers.count = 1; } TM_END;
    TM_BEGIN { numbers.large[0] = 'y'; } TM_END;
  });
  change_byte(offsets.count);
  expect_refused(power(), offsets.count);
  expect_refused(power(), offsets.count);
  EXPECT_FALSE(check_pages(path()).damaged.empty());
  // Whoever says so goes on with what is there.
  std::filesystem::remove(sums_path(path()));
  EXPECT_EQ(Pool::open(path(), power()).root<Numbers>("numbers").large[0], 'y');
  expect_no_damage();
}

// -- what is no damage ------------------------------------------------------------------------------------------------

TEST_F(PageDamage, IsNotABackupThatIsRestored) {
  make();
  const auto restored = std::filesystem::copy_options::overwrite_existing;
  for (const std::string& name : {std::string(), std::string(".log")})
    std::filesystem::copy_file(path().string() + name, path().string() + "_backup" + name);
  add(Pool::open(path(), power()).root<Numbers>("numbers"), 300, 400);
  for (const std::string& name : {std::string(), std::string(".log")})
    std::filesystem::copy_file(path().string() + "_backup" + name, path().string() + name, restored);
  EXPECT_EQ(Pool::open(path(), verifying()).root<Numbers>("numbers").count, 300U);
  expect_no_damage();
}

TEST_F(PageDamage, IsNotWhatIsWrittenWithoutTheLog) {
  make();
  {
    OpenOptions process;
    process.durability = Durability::process;
    add(Pool::open(path(), process).root<Numbers>("numbers"), 300, 400);
    EXPECT_FALSE(std::filesystem::exists(sums_path(path())));
  }
  EXPECT_EQ(Pool::open(path(), verifying()).root<Numbers>("numbers").count, 400U);
  expect_no_damage();
}

TEST_F(PageDamage, IsNotThatItWasMoved) {
  make();
  const std::filesystem::path copy = folder_ / "copy";
  std::filesystem::copy_file(path(), copy);
  for (const char* const name : {".log", ".sums"})
    std::filesystem::copy_file(path().string() + name, copy.string() + name);
  const Pool first = Pool::open(path(), power());
  Pool moved = Pool::open(copy, verifying());
  EXPECT_NE(moved.report().moved_from, 0U);
  EXPECT_EQ(moved.root<Numbers>("numbers").map.size(), 300U);
}

/// They protect the pool; they must not be what ends it.
TEST_F(PageDamage, ChecksumsThatCannotBeWrittenEndNoPool) {
  make();
  SpecialVolume volume;
  set_volume(&volume);
  {
    Pool pool = Pool::open(path(), power());
    volume.fail_with = [](const std::string& file, Call call) {
      return file == ".sums" && call == Call::write ? ENOSPC : 0;
    };
    add(pool.root<Numbers>("numbers"), 300, 400);
    pool.close();
  }
  set_volume(nullptr);
  EXPECT_EQ(check_pages(path()).sums, PageSums::State::unknown);
  EXPECT_EQ(Pool::open(path(), verifying()).root<Numbers>("numbers").count, 400U);
  expect_no_damage();
}

// -- checkpoints ------------------------------------------------------------------------------------------------------

struct Blocks {
  static constexpr std::size_t bytes = 60000;
  std::array<char*, 64> blocks{};

  /// Until the file has been made longer for one.
  void make(const std::filesystem::path& path) {
    const auto before = std::filesystem::file_size(path);
    for (std::size_t i = 0; i < blocks.size() && std::filesystem::file_size(path) == before; ++i) {
      TM_BEGIN {
        blocks[i] = new char[bytes];
        for (std::size_t at = 0; at < bytes; ++at) blocks[i][at] = 'z';
      } TM_END;
    }
  }
};

/// What was appended before a checkpoint begins is in it, though the file was made longer for it just then.
TEST_F(PageDamage, CheckpointsHoldWhatTheFileGrewBy) {
  make();
  OpenOptions options = power();
  options.log_bytes = std::size_t{8} << 20;
  const std::filesystem::path growing = folder_ / "growing";
  in_killed_process([&] {
    static SpecialVolume volume;
    set_volume(&volume);
    static Pool pool = Pool::open(growing, options);
    auto& numbers = pool.root<Numbers>("numbers");
    auto& blocks = pool.root<Blocks>("blocks");
    std::atomic<bool> is_over{false};
    volume.when_the_size_is_known = [&] {
      std::thread([&] {
        blocks.make(growing);
        is_over = true;
      }).detach();
      // It may have to wait until the checkpoint has begun.
      std::this_thread::sleep_for(std::chrono::milliseconds(500));
    };
    for (int i = 0; !is_over; ++i) add(numbers, i, i + 1);
    std::this_thread::sleep_for(std::chrono::seconds(1));
  });
  Pool pool = Pool::open(growing, verifying());
  const auto& blocks = pool.root<Blocks>("blocks");
  ASSERT_NE(blocks.blocks[0], nullptr);
  for (const char* const block : blocks.blocks)
    if (block != nullptr) ASSERT_EQ(std::string(block, Blocks::bytes), std::string(Blocks::bytes, 'z'));
}

}  // namespace
}  // namespace perdure::disk
