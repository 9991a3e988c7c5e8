// The program `perdure` on pools on a disk, with a log beside them: closed, killed, damaged.
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <filesystem>
#include <fstream>
#include <string>

#include "disk/file_system.h"
#include "disk/make_log.h"
#include "disk/page_sums.h"
#include "folder.h"
#include "perdure/perdure.h"
#include "perdure/pool.h"
#include "pool/format.h"
#include "tool.h"

namespace perdure::disk {
namespace {

using perdure::testing::Outcome;

struct Node {
  Node* next = nullptr;
  std::uint64_t number = 0;
  std::array<char, 200> text{};
};

struct List {
  Node* first = nullptr;
  std::uint64_t count = 0;

  void add(std::uint64_t numbers) {
    for (std::uint64_t i = 0; i < numbers; ++i) {
      TM_BEGIN {
        auto* const node = new Node;
        node->next = first;
        node->number = count++;
        first = node;
      } TM_END;
    }
  }
  /// Leaves one of so many.
  void thin_out(std::uint64_t keep_one_of) {
    TM_BEGIN {
      for (Node** at = &first; *at != nullptr;) {
        Node* const node = *at;
        if (node->number % keep_one_of == 0) {
          at = &node->next;
          continue;
        }
        *at = node->next;
        delete node;
        --count;
      }
    } TM_END;
  }
  bool is_whole() const {
    std::uint64_t found = 0;
    for (const Node* node = first; node != nullptr; node = node->next) ++found;
    return found == count;
  }
};

class DiskTools : public ::testing::Test {
 protected:
  std::filesystem::path path() const { return folder_ / "pool"; }

  static OpenOptions power() {
    OpenOptions options;
    options.durability = Durability::power;
    options.log_bytes = std::size_t{2} << 20;
    return options;
  }

  void make(std::uint64_t nodes) const {
    OpenOptions options = power();
    options.acknowledgement = Acknowledgement::relaxed;
    Pool::open(path(), options).root<List>("list").add(nodes);
  }
  void make_killed(std::uint64_t nodes) const {
    make(nodes);
    const pid_t child = fork();
    if (child == 0) {
      (new Pool(Pool::open(path(), power())))->root<List>("list").add(10);
      _exit(0);
    }
    int status = 0;
    waitpid(child, &status, 0);
    ASSERT_EQ(status, 0);
  }

  Outcome run(const std::string& command, int status = 0) const {
    Outcome outcome = perdure::testing::run_tool(command + " '" + path().string() + "'");
    EXPECT_EQ(outcome.status, status) << command << ": " << outcome.output;
    return outcome;
  }
  static bool says(const Outcome& outcome, const std::string& words) {
    return outcome.output.find(words) != std::string::npos;
  }
  std::uint64_t disk_bytes() const {
    struct stat status{};
    EXPECT_EQ(stat(path().c_str(), &status), 0);
    return static_cast<std::uint64_t>(status.st_blocks) * 512;
  }
  void expect_nodes(std::uint64_t nodes) const {
    Pool pool = Pool::open(path(), power());
    EXPECT_EQ(pool.report().medium, Medium::disk);
    EXPECT_EQ(pool.root<List>("list").count, nodes);
    EXPECT_TRUE(pool.root<List>("list").is_whole());
  }
  void change_byte(std::uint64_t offset) const {
    std::fstream file(path(), std::ios::in | std::ios::out | std::ios::binary);
    file.seekp(static_cast<std::streamoff>(offset));
    file.put('#');
  }

  Folder folder_;
};

TEST_F(DiskTools, FindNothingWrongAfterAKill) {
  make_killed(1000);
  EXPECT_TRUE(says(run("check"), "damage: none"));
  EXPECT_TRUE(says(run("scrub"), "damage: none"));
  run("info");
  EXPECT_TRUE(says(run("roots"), "list"));
  run("stats");
  EXPECT_TRUE(says(run("recover --json"), "\"recovered\": true"));
  EXPECT_TRUE(says(run("check"), "damage: none"));
  expect_nodes(1010);
}

TEST_F(DiskTools, NameDamagedPagesAndWhatLiesInThem) {
  make(1000);
  std::uint64_t offset = 0;
  {
    Pool pool = Pool::open(path(), power());
    offset = reinterpret_cast<std::uintptr_t>(pool.root<List>("list").first->text.data()) % pool::slot_bytes + 100;
  }
  change_byte(offset);
  const std::string page = "the page at offset " + std::to_string(offset / block_bytes * block_bytes);
  EXPECT_TRUE(says(run("scrub", 1), page));
  const Outcome checked = run("check --json", 1);
  EXPECT_TRUE(says(checked, page)) << checked.output;
  EXPECT_TRUE(says(checked, "224 bytes at offset ")) << checked.output;
}

TEST_F(DiskTools, NameRootsInDamagedPages) {
  make(1);
  std::uint64_t offset = 0;
  {
    Pool pool = Pool::open(path(), power());
    offset = reinterpret_cast<std::uintptr_t>(&pool.root<List>("list")) % pool::slot_bytes;
  }
  change_byte(offset + sizeof(List));  // behind the object, in its page
  EXPECT_TRUE(says(run("check", 1), "the root 'list'"));
}

TEST_F(DiskTools, RefuseToScrubWhereThereAreNoChecksums) {
  OpenOptions options;
  options.durability = Durability::process;
  Pool::open(path(), options).close();
  EXPECT_TRUE(says(run("scrub", 2), "keeps no checksums"));
}

TEST_F(DiskTools, Trim) {
  make(20000);
  Pool::open(path(), power()).root<List>("list").thin_out(1000);
  make(0);
  const std::uint64_t before = disk_bytes();
  const std::size_t bytes_of_log = log_bytes(path());
  run("trim");
  EXPECT_LT(disk_bytes(), before / 2);
  EXPECT_EQ(log_bytes(path()), bytes_of_log) << "the log is as large as it was";
  EXPECT_TRUE(says(run("scrub"), "damage: none"));
  expect_nodes(20);
}

TEST_F(DiskTools, TrimAfterAKill) {
  make_killed(5000);
  run("trim");
  EXPECT_TRUE(says(run("check"), "damage: none"));
  expect_nodes(5010);
}

TEST_F(DiskTools, Compact) {
  make(20000);
  Pool::open(path(), power()).root<List>("list").thin_out(16);
  const std::uint64_t before = disk_bytes();
  run("compact");
  EXPECT_LT(disk_bytes(), before / 2);
  EXPECT_TRUE(says(run("check"), "damage: none"));
  expect_nodes(1250);
}

TEST_F(DiskTools, RelocateAfterAKill) {
  make_killed(1000);
  run("relocate");
  EXPECT_TRUE(says(run("check"), "damage: none"));
  expect_nodes(1010);
  EXPECT_TRUE(says(run("scrub"), "damage: none"));
}

TEST_F(DiskTools, Grow) {
  make_killed(1000);
  run("grow --size 20M");
  EXPECT_EQ(std::filesystem::file_size(path()), 20U << 20);
  EXPECT_TRUE(says(run("scrub"), "damage: none"));
  expect_nodes(1010);
}

// -- names ------------------------------------------------------------------------------------------------------------

TEST_F(DiskTools, FollowASymbolicLinkToThePool) {
  make_killed(100);
  const std::filesystem::path link = folder_ / "link";
  std::filesystem::create_symlink(path(), link);
  EXPECT_EQ(Pool::open(link, power()).root<List>("list").count, 110U);
  EXPECT_FALSE(std::filesystem::exists(link.string() + ".log"));
  expect_nodes(110);
}

TEST_F(DiskTools, HaveTheLogInAnotherFolder) {
  const std::filesystem::path other = folder_ / "other";
  std::filesystem::create_directory(other);
  {
    OpenOptions options = power();
    options.log_folder = other.native();
    Pool::open(path(), options).root<List>("list").add(100);
  }
  ASSERT_TRUE(std::filesystem::is_symlink(path().string() + ".log"));
  EXPECT_FALSE(std::filesystem::is_empty(other));
  make_killed(100);
  EXPECT_TRUE(says(run("check"), "damage: none"));
  run("recover");
  expect_nodes(210);
  OpenOptions process;
  process.durability = Durability::process;
  Pool::open(path(), process).close();
  EXPECT_TRUE(std::filesystem::is_empty(other)) << "it goes with the log";
}

}  // namespace
}  // namespace perdure::disk
