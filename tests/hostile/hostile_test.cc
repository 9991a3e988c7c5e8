// Pools with damage of every kind, each of which must be recovered correctly or refused by name of what is broken.
#include <gtest/gtest.h>
#include <sys/mman.h>
#include <sys/resource.h>

#include <charconv>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "alloc/heap.h"
#include "damage.h"
#include "perdure/perdure.h"
#include "pool_test.h"

namespace perdure {
namespace {

/// --cases=<n>: how many; --first=<n>: the number of the first, to see one case again.
struct Options {
  std::uint64_t cases = 300;
  std::uint64_t first = 0;
};
Options options;

constexpr unsigned seconds_for_a_case = 60;

struct Node {
  Node* next;
  std::uint64_t value;
  std::uint64_t padding[10];
};

struct List {
  static constexpr std::uint64_t length = 300;
  static constexpr std::size_t large_bytes = 700'000;  // so much that the pool grows

  Node* first = nullptr;
  char* large = nullptr;
};

void add(List& list, std::uint64_t value) {
  TM_BEGIN { list.first = new Node{list.first, value, {}}; } TM_END;
}

void fill(List& list) {
  for (std::uint64_t value = 0; value < List::length; ++value) add(list, value);
  TM_BEGIN {
    list.large = new char[List::large_bytes];
    list.large[List::large_bytes - 1] = 'x';
  } TM_END;
}

bool is_whole(List& list) {
  return execute([&] {
    std::uint64_t left = List::length;
    for (const Node* node = list.first; node != nullptr; node = node->next)
      if (left == 0 || node->value != --left) return false;
    return left == 0 && list.large[List::large_bytes - 1] == 'x';
  });
}

/// In a transaction, where undo logs and unretired records are active.
PERDURE_PURE void copy_to(const char* from, const char* to) {
  std::filesystem::copy_file(from, to, std::filesystem::copy_options::overwrite_existing);
}

void change_and_copy(List& list, const char* from, const char* to) {
  try {
    TM_BEGIN {
      for (Node* node = list.first; node != nullptr; node = node->next) node->value += 1000;
      copy_to(from, to);
      throw 1;
    } TM_END;
  } catch (int) {  // rolled back, and only the copy is as a crash would leave it
  }
}

/// Progress of a child that opens damaged pools, in memory that its parent sees.
struct Progress {
  std::uint64_t number;
  char what[512];
  bool failed;
};

class HostileTest : public testing::PoolTest {
 protected:
  HostileTest() {
    // Opening writes, closing syncs; memory is fast at that.
    std::string name = "/dev/shm/perdure_hostile_XXXXXX";
    if (mkdtemp(name.data()) == nullptr) return;
    std::filesystem::remove_all(directory_);
    directory_ = name;
  }

  static std::string header_of(const std::filesystem::path& file) {
    return testing::read_all(file).substr(0, pool::page_bytes);
  }

  /// A pool that was closed, one that was copied between two transactions, and one in the middle of one; with the
  /// headers of when it was new, and of an earlier close.
  std::vector<testing::Specimen> make_specimens() const {
    const auto copies = {path(), in_directory("between"), in_directory("within")};
    const int status = testing::in_child([&] {
      Pool pool = Pool::open(path());
      testing::write_all(in_directory("new"), header_of(path()));
      pool.close();
      testing::write_all(in_directory("closed"), header_of(path()));
      pool = Pool::open(path());
      List& list = pool.root<List>("list");
      pool.root<std::uint64_t>("number");
      fill(list);
      copy_to(path().c_str(), in_directory("between").c_str());
      change_and_copy(list, path().c_str(), in_directory("within").c_str());
      pool.close();
      _exit(7);
    });
    EXPECT_EQ(WEXITSTATUS(status), 7);
    std::vector<testing::Specimen> specimens;
    for (const auto& copy : copies)
      specimens.push_back(
          {testing::read_all(copy), {header_of(in_directory("new")), header_of(in_directory("closed"))}});
    return specimens;
  }

  /// \returns whether the pool was accepted.
  bool open_and_use(bool must_be_whole) const {
    const std::string before = testing::read_all(path());
    const bool for_reading_too = open_for_reading();
    EXPECT_TRUE(testing::read_all(path()) == before) << "reading has changed the file";
    try {
      Pool pool = Pool::open(path());
      // What must be moved first, because it says that it comes from a program with another window, cannot only be
      // read.
      EXPECT_TRUE(for_reading_too || pool.report().moved_from != 0) << "refused for reading, accepted for writing";
      for (const roots::RootInfo& root : pool.list_roots()) EXPECT_FALSE(root.name.empty() && root.size == ~0ULL);
      use();
      if (must_be_whole) expect_whole(pool);
      pool.close();
    } catch (const PoolError& error) {
      EXPECT_EQ(error.path(), path());
      EXPECT_FALSE(for_reading_too && error.kind() != PoolError::Kind::no_space)
          << "only for reading: " << error.what();
      return false;
    }
    // What was accepted and closed is a pool like any other.
    Pool again = Pool::open(path());
    EXPECT_EQ(again.report().state, OpenReport::State::clean);
    if (must_be_whole) expect_whole(again);
    return true;
  }

  static void expect_whole(Pool& pool) {
    List* const list = pool.find_root<List>("list");
    EXPECT_TRUE(list != nullptr && is_whole(*list)) << "accepted, and not as it was";
  }

  bool open_for_reading() const {
    try {
      return Pool::open(path(), {.read_only = true}).list_roots().size() <= roots::max_roots;
    } catch (const PoolError& error) {
      EXPECT_EQ(error.path(), path());
      EXPECT_NE(std::string(error.what()).find(path()), std::string::npos);
      return false;
    }
  }

  /// Allocates, writes and frees: what the allocator hands out is memory.
  static void use() {
    for (const std::size_t bytes : {24, 3000, 100'000}) {
      char* block = nullptr;
      TM_BEGIN {
        block = new char[bytes];
        block[0] = block[bytes - 1] = 1;
      } TM_END;
      TM_BEGIN { delete[] block; } TM_END;
    }
  }

  void run_case(const std::vector<testing::Specimen>& specimens, Progress& progress, std::uint64_t& accepted) const {
    std::mt19937_64 random(progress.number);
    const testing::Damaged damaged = testing::damage(specimens[progress.number % specimens.size()], random);
    std::snprintf(progress.what, sizeof progress.what, "%s", damaged.what.c_str());
    testing::write_all(path(), damaged.bytes);
    alarm(seconds_for_a_case);
    accepted += open_and_use(damaged.spares_objects) ? 1 : 0;
  }
};

TEST_F(HostileTest, DamagedPoolsAreRecoveredOrRefused) {
  const auto specimens = make_specimens();
  auto* const progress = static_cast<Progress*>(
      mmap(nullptr, sizeof(Progress), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0));
  ASSERT_NE(progress, MAP_FAILED);
  progress->number = options.first;
  const std::uint64_t end = options.first + options.cases;
  const int status = testing::in_child([&] {
    std::uint64_t accepted = 0;
    for (; progress->number < end && !HasFailure(); ++progress->number) run_case(specimens, *progress, accepted);
    alarm(0);
    std::printf("%llu of %llu were accepted\n", static_cast<unsigned long long>(accepted),
                static_cast<unsigned long long>(options.cases));
    std::fflush(nullptr);
    const bool some_of_each = options.cases < 100 || (accepted > options.cases / 10 && accepted < options.cases);
    if (HasFailure()) --progress->number;
    _exit(HasFailure() || !some_of_each ? 1 : 0);
  });
  EXPECT_EQ(status, 0) << "case " << progress->number << " (" << progress->what << ") ended with status " << status
                       << "; see it again with --first=" << progress->number << " --cases=1";
  munmap(progress, sizeof(Progress));
}

bool read_option(std::string_view argument, std::string_view name, std::uint64_t& value) {
  if (!argument.starts_with(name)) return false;
  argument.remove_prefix(name.size());
  return std::from_chars(argument.data(), argument.data() + argument.size(), value).ec == std::errc{};
}

}  // namespace
}  // namespace perdure

int main(int count, char** arguments) {
  ::testing::InitGoogleTest(&count, arguments);
  // Each round of the long tests has cases of its own.
  if (const char* const round = std::getenv("TEST_ROUND"))
    perdure::options.first = std::strtoull(round, nullptr, 10) << 32;
  for (int i = 1; i < count; ++i)
    if (!perdure::read_option(arguments[i], "--cases=", perdure::options.cases) &&
        !perdure::read_option(arguments[i], "--first=", perdure::options.first)) {
      std::fprintf(stderr, "%s is not an option; there are --cases=<n> and --first=<n>\n", arguments[i]);
      return 2;
    }
  return RUN_ALL_TESTS();
}
