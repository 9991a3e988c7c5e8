// A disk of which one call fails, once, and all later ones succeed: as kernels do it, which report an error once and
// take the pages to be clean. Who waits is told, nothing more is acknowledged, and the next open recovers.
#include <gtest/gtest.h>

#include <array>
#include <atomic>
#include <cerrno>
#include <cstdint>
#include <filesystem>
#include <string>
#include <thread>
#include <vector>

#include "disk/image_file.h"
#include "folder.h"
#include "perdure/error.h"
#include "perdure/perdure.h"
#include "perdure/pool.h"
#include "special_volume.h"

namespace perdure::disk {
namespace {

constexpr std::size_t most_threads = 3;

struct Counts {
  struct alignas(64) Count {
    std::uint64_t value = 0;
    std::array<std::uint64_t, 64> copies{};
  };
  std::array<Count, most_threads> of_thread{};
};

struct Case {
  const char* file;  // by its extension
  Call call;
  int error;
};

OpenOptions power() {
  OpenOptions options;
  options.durability = Durability::power;
  options.log_bytes = std::size_t{1} << 20;
  options.verify_pages = true;
  return options;
}

class FailsOnce : public testing::TestWithParam<Case> {
 protected:
  ~FailsOnce() override { set_volume(nullptr); }
  std::filesystem::path path() const { return folder_ / "pool"; }

  /// \returns how far each thread was told that it has come. Each is told of the error, and that nothing comes later.
  static std::array<std::uint64_t, most_threads> count_until_told(Counts& counts) {
    std::array<std::uint64_t, most_threads> told{};
    for (std::size_t thread = 0; thread < most_threads; ++thread) told[thread] = counts.of_thread[thread].value;
    std::vector<std::thread> threads;
    for (std::size_t thread = 0; thread < most_threads; ++thread)
      threads.emplace_back([&counts, &told, thread] {
        Counts::Count& count = counts.of_thread[thread];
        const auto add = [&] {
          std::uint64_t value = 0;
          TM_BEGIN {
            value = ++count.value;
            for (std::uint64_t& copy : count.copies) copy = value;
          } TM_END;
          return value;
        };
        constexpr std::uint64_t many = 100000;
        const auto go_on = [&] {
          while (told[thread] < many) told[thread] = add();
        };
        EXPECT_THROW(go_on(), durability_error);
        EXPECT_THROW(add(), durability_error) << "though the disk works again";
      });
    for (std::thread& thread : threads) thread.join();
    return told;
  }

  Folder folder_;
};

TEST_P(FailsOnce, AndNothingIsAcknowledgedThatIsLost) {
  const auto [file, call, error] = GetParam();
  Pool::open(path(), power()).root<Counts>("counts");
  for (const int number : {1, 2, 3, 7, 20}) {
    SpecialVolume volume;
    std::array<std::uint64_t, most_threads> told{};
    set_volume(&volume);
    {
      Pool pool = Pool::open(path(), power());
      auto& counts = pool.root<Counts>("counts");
      std::atomic<int> left{number};
      volume.fail_with = [&](const std::string& of, Call what) {
        return of == file && what == call && --left == 0 ? error : 0;
      };
      told = count_until_told(counts);
      std::uint64_t read = 0;
      TM_BEGIN { read = counts.of_thread[0].value; } TM_END;
      EXPECT_GE(read, told[0]) << "one may still read";
      EXPECT_THROW(pool.close(), PoolError);
      volume.fail_with = nullptr;
    }
    set_volume(nullptr);
    Pool pool = Pool::open(path(), power());
    for (std::size_t thread = 0; thread < most_threads; ++thread) {
      const Counts::Count& found = pool.root<Counts>("counts").of_thread[thread];
      EXPECT_GE(found.value, told[thread]) << "call " << number;
      EXPECT_LE(found.value, told[thread] + 1) << "call " << number;
      for (const std::uint64_t copy : found.copies) ASSERT_EQ(copy, found.value);
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Each, FailsOnce,
                         testing::Values(Case{".log", Call::write, EIO}, Case{".log", Call::write, ENOSPC},
                                         Case{"", Call::write, EIO}, Case{"", Call::write, ENOSPC},
                                         Case{"", Call::sync, EIO}, Case{"", Call::sync, EDQUOT},
                                         Case{".log", Call::sync, EIO}),
                         [](const auto& info) {
                           return std::string(info.param.file[0] == '\0' ? "image" : "log") +
                                  (info.param.call == Call::write ? "_write_" : "_sync_") +
                                  std::to_string(info.param.error);
                         });

}  // namespace
}  // namespace perdure::disk
