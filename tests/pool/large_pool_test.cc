// Pools that take several slots of the address window: what lies beyond the first slot is as good as the rest.
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstddef>
#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "alloc/heap.h"
#include "perdure/perdure.h"
#include "perdure/pool.h"
#include "persist/instance.h"
#include "pool/window.h"
#include "pool_test.h"
#include "relocate/relocation.h"
#include "tests/disk/folder.h"

/// No disk here has room for such pools, so their files are sparse.
extern "C" int posix_fallocate(int file, off_t from, off_t bytes) {
  struct stat status{};
  if (fstat(file, &status) != 0) return EBADF;
  return status.st_size >= from + bytes || ftruncate(file, from + bytes) == 0 ? 0 : EFBIG;
}

namespace perdure {
namespace {

constexpr std::size_t large = 4 * pool::slot_bytes;

struct Shape {
  virtual ~Shape() = default;
  virtual long corners() const { return 0; }
};
struct Square : Shape {
  long corners() const override { return 4; }
};

struct High {
  std::map<long, long> map;
  std::byte size_of_no_other[20000];
};

struct Numbers {
  std::map<long, long> low;
  High* high = nullptr;
  Shape* shape = nullptr;
};

std::size_t offset_of(const void* address) { return pool::offset_in_pool(address); }

/// Blocks that end behind the first slot, and what is allocated behind them. (No pointer in the pool leads to these
/// blocks, or a mark would read them.)
void fill(Numbers& numbers) {
  alloc::Heap& heap = *alloc::heap_of(&numbers);
  std::array<void*, 3> spacers{};
  for (void*& spacer : spacers) ASSERT_NE(spacer = heap.allocate(pool::slot_bytes / 3), nullptr);
  TM_BEGIN {
    numbers.high = new High;
    numbers.shape = new Square;
  } TM_END;
  ASSERT_GT(offset_of(numbers.high), pool::slot_bytes);
  for (long i = 0; i < 20000; ++i) {
    TM_BEGIN {
      numbers.low[i] = i;
      numbers.high->map[i] = i;
    } TM_END;
  }
  for (void* const spacer : spacers) heap.deallocate(spacer);
}

void expect_whole(const Numbers& numbers) {
  ASSERT_NE(numbers.high, nullptr);
  EXPECT_EQ(numbers.high->map.size(), 20000u);
  EXPECT_EQ(numbers.low, numbers.high->map);
  EXPECT_GT(offset_of(&*numbers.low.rbegin()), pool::slot_bytes);
  EXPECT_EQ(numbers.shape->corners(), 4);
  EXPECT_EQ(pool::slot_of(numbers.high), pool::slot_of(&numbers));
  EXPECT_GT(offset_of(numbers.high), pool::slot_bytes);
  EXPECT_TRUE(pool::is_code_address(*reinterpret_cast<void* const*>(numbers.shape)) || !instance.durable);
}

class LargePool : public testing::PoolTest, public ::testing::WithParamInterface<Durability> {
 protected:
  void SetUp() override {
    if (GetParam() != Durability::power) return;
    if (!instance.facts.records) GTEST_SKIP() << "has no log on a disk";
    on_disk_.emplace();
  }
  std::filesystem::path path(const char* name = "a.pool") const {
    return on_disk_ ? *on_disk_ / name : in_directory(name);
  }
  static OpenOptions options() {
    OpenOptions options;
    options.size_limit = large;
    options.accept_volatile = true;
    if (instance.durable) options.durability = GetParam();
    options.log_bytes = std::size_t{4} << 20;
    return options;
  }

 private:
  std::optional<disk::Folder> on_disk_;
};
INSTANTIATE_TEST_SUITE_P(Durabilities, LargePool, ::testing::Values(Durability::process, Durability::power),
                         [](const auto& tested) { return tested.param == Durability::power ? "power" : "process"; });

TEST_P(LargePool, HoldsMoreThanASlot) {
  {
    Pool pool = Pool::open(path(), options());
    Numbers& numbers = pool.root<Numbers>("numbers");
    fill(numbers);
    expect_whole(numbers);
  }
  if (!instance.durable) return;
  Pool pool = Pool::open(path(), options());
  EXPECT_EQ(pool.report().state, OpenReport::State::clean);
  expect_whole(pool.root<Numbers>("numbers"));
}

TEST_P(LargePool, IsRecovered) {
  if (!instance.durable) GTEST_SKIP() << "nothing of it outlives the process";
  const int status = testing::in_child([&] {
    Pool pool = Pool::open(path(), options());
    fill(pool.root<Numbers>("numbers"));
    _exit(::testing::Test::HasFailure() ? 1 : 0);
  });
  ASSERT_EQ(status, 0);
  Pool pool = Pool::open(path(), options());
  EXPECT_EQ(pool.report().state, OpenReport::State::recovered);
  Numbers& numbers = pool.root<Numbers>("numbers");
  expect_whole(numbers);
  TM_BEGIN { numbers.high->map.clear(); } TM_END;
  EXPECT_TRUE(numbers.high->map.empty());
}

TEST_P(LargePool, IsMoved) {
  if (!instance.durable) GTEST_SKIP() << "nothing of it outlives the process";
  fill(Pool::open(path(), options()).root<Numbers>("numbers"));
  const auto moved = relocate::relocate(path(), {.unsure = relocate::UnsureWords::keep});
  EXPECT_NE(moved.from, moved.to);
  Pool pool = Pool::open(path(), options());
  expect_whole(pool.root<Numbers>("numbers"));
}

TEST_P(LargePool, LivesBesideOthers) {
  std::vector<Pool> pools;
  for (long i = 0; i < 3; ++i) {
    pools.push_back(Pool::open(path(std::to_string(i).c_str()), options()));
    Numbers& numbers = pools.back().root<Numbers>("numbers");
    TM_BEGIN { numbers.low[1] = i; } TM_END;
  }
  for (long i = 0; i < 3; ++i) EXPECT_EQ(pools[i].root<Numbers>("numbers").low[1], i);
}

}  // namespace
}  // namespace perdure
