#include <chrono>
#include <csignal>
#include <filesystem>
#include <fstream>
#include <set>
#include <sstream>
#include <thread>

#include <unistd.h>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "common/footprint.h"
#include "common/latency.h"
#include "common/measure.h"
#include "common/random.h"
#include "common/result.h"
#include "common/temporary_file.h"
#include "common/workload.h"

namespace perdure::benchmarks {
namespace {

TEST(LatencyHistogram, PercentilesAreWithinABucketOfTheTruth) {
  LatencyHistogram histogram;
  constexpr std::uint64_t largest = 1'000'000;
  for (std::uint64_t value = 1; value <= largest; value += 7) histogram.add(value);
  for (const double share : {0.01, 0.5, 0.99, 0.999}) {
    EXPECT_NEAR(histogram.percentile(share), share * largest, 0.07 * share * largest) << share;
  }
}

TEST(LatencyHistogram, KeepsTheSmallestAndTheLargestValues) {
  LatencyHistogram histogram;
  EXPECT_EQ(histogram.percentile(0.5), 0);
  histogram.add(0);
  EXPECT_EQ(histogram.percentile(1), 0);
  histogram.add(~std::uint64_t{0});
  EXPECT_GT(histogram.percentile(1), 1.7e19);
}

TEST(LatencyHistogram, MergesWhatOthersCounted) {
  LatencyHistogram low, high;
  for (int i = 0; i < 99; ++i) low.add(4);
  high.add(1'000'000);
  low.merge(high);
  EXPECT_EQ(low.samples(), 100);
  EXPECT_EQ(low.percentile(0.99), 4);
  EXPECT_GT(low.percentile(1), 900'000);
}

constexpr std::size_t mebibyte = std::size_t{1} << 20;

TEST(Footprint, CountsMemoryThatIsUsedAndInNoFile) {
  constexpr std::size_t size = 64 * mebibyte;
  const auto before = volatile_bytes();
  const std::vector<char> used(size, 'x');
  EXPECT_GE(volatile_bytes(), before + size - mebibyte);
  EXPECT_LE(volatile_bytes(), before + size + 4 * mebibyte) << used.front();
}

TEST(Footprint, CountsOfFilesWhatIsWritten) {
  const auto folder = std::filesystem::temp_directory_path() / ("perdure_footprint_" + std::to_string(getpid()));
  std::filesystem::create_directory(folder);
  const TemporaryFile removed_at_end(folder);
  std::ofstream(folder / "written") << std::string(mebibyte, 'x');
  std::ofstream(folder / "hole").close();
  std::filesystem::resize_file(folder / "hole", 64 * mebibyte);
  EXPECT_GE(stored_bytes(folder / "written"), mebibyte);
  EXPECT_LT(stored_bytes(folder / "hole"), mebibyte);
  EXPECT_EQ(stored_bytes(folder), stored_bytes(folder / "written") + stored_bytes(folder / "hole"));
  EXPECT_EQ(stored_bytes(folder / "nothing"), 0);
}

/// As much of a workload as Race needs.
struct Steps {
  struct Worker {
    std::chrono::microseconds longest;
    std::uint64_t done = 0;
    Outcome step() {
      if (done++ == 0) std::this_thread::sleep_for(longest);
      return Outcome::committed;
    }
  };
  std::chrono::microseconds first;
  Worker worker(const Share&) const { return {first}; }
};

TEST(Race, KeepsToTheRate) {
  Steps steps{std::chrono::microseconds{0}};
  Options options;
  options.threads = 2;
  options.warmup = 0;
  options.transactions = 100;
  options.rate = 2000;
  const Measurement measured = Race(steps, options).run();
  EXPECT_EQ(measured.transactions, 100U);
  EXPECT_EQ(measured.latency.samples(), 100U) << "all are timed";
  EXPECT_GE(measured.seconds, 99 / 2000.0) << "the last one begins no earlier";
}

TEST(Race, CountsTheWaitBehindASlowTransaction) {
  constexpr std::chrono::milliseconds slow{20};
  Steps steps{slow};
  Options options;
  options.warmup = 0;
  options.transactions = 10;
  options.rate = 1000;
  const Measurement measured = Race(steps, options).run();
  EXPECT_GE(measured.latency.percentile(0.5), 0.9e6 * (slow.count() - 5)) << "the fifth is due 4 ms after the first";
}

/// Has several things under way, and another thread that does the work.
struct Served {
  struct Worker {
    Clock::time_point begun() const { return Clock::now() - std::chrono::seconds(7); }
    Outcome step() {
      std::thread([] {
        while (thread_processor_seconds() < work) {
        }
      }).join();
      return Outcome::committed;
    }
  };
  static constexpr double work = 0.02;  // seconds
  Worker worker(const Share&) const { return {}; }
};

TEST(Race, WorkerSaysWhenWhatItEndedWasBegun) {
  Served served;
  Options options;
  options.warmup = 0;
  options.transactions = 1;
  const Measurement measured = Race(served, options).run();
  EXPECT_GE(measured.latency.percentile(0.5), 6e9);
}

TEST(Race, CountsTheProcessorTimeOfAllThreads) {
  Served served;
  Options options;
  options.warmup = 0;
  options.transactions = 3;
  EXPECT_GE(Race(served, options).run().processor_seconds, 3 * Served::work);
}

TEST(Random, ReachesEveryValueOfARangeAndNoOther) {
  Random random(1);
  std::set<std::int64_t> seen;
  for (int i = 0; i < 1000; ++i) seen.insert(random.between(-3, 3));
  EXPECT_EQ(seen, (std::set<std::int64_t>{-3, -2, -1, 0, 1, 2, 3}));
}

TEST(Random, DependsOnItsSeedAlone) {
  Random one(7), same(7), other(8);
  const auto drawn = one.next();
  EXPECT_EQ(drawn, same.next());
  EXPECT_NE(drawn, other.next());
}

TEST(Share, SharesCoverEverythingOnce) {
  for (const std::size_t total : {0, 1, 5, 1000}) {
    std::size_t reached = 0;
    for (std::size_t index = 0; index < 3; ++index) {
      const Share share{index, 3, 0};
      EXPECT_EQ(share.begin(total), reached);
      reached = share.end(total);
    }
    EXPECT_EQ(reached, total);
  }
}

Result result_with_awkward_text() {
  Result result;
  result.benchmark = "sample";
  result.parameters = "a \"quoted\" text, with a comma";
  result.measured.transactions = 10;
  result.measured.seconds = 2;
  return result;
}

TEST(Result, JsonIsOneLineThatParses) {
  std::ostringstream out;
  write(out, result_with_awkward_text(), Format::json);
  EXPECT_EQ(out.str().find('\n'), out.str().size() - 1);
  const auto fields = nlohmann::json::parse(out.str());
  EXPECT_EQ(fields.at("parameters"), result_with_awkward_text().parameters);
  EXPECT_EQ(fields.at("throughput"), 5);
}

TEST(Result, SaysThatMoreThreadsRanThanThereAreCores) {
  for (const std::size_t more : {0, 1}) {
    Result result;
    result.options.threads = 1;
    result.running_threads = usable_cores() + more;
    std::ostringstream out;
    write(out, result, Format::json);
    EXPECT_EQ(nlohmann::json::parse(out.str()).at("oversubscribed"), more > 0);
  }
}

TEST(Result, CsvQuotesWhatNeedsIt) {
  std::ostringstream out;
  write(out, result_with_awkward_text(), Format::csv);
  EXPECT_NE(out.str().find(R"("a ""quoted"" text, with a comma")"), std::string::npos) << out.str();
}

/// A folder of one file, as a peer makes where a library makes a file.
std::filesystem::path make_folder(const std::string& name) {
  auto folder = std::filesystem::temp_directory_path() / (name + "-" + std::to_string(getpid()));
  std::filesystem::create_directory(folder);
  std::ofstream(folder / "rows") << "some";
  return folder;
}

TEST(TemporaryFile, RemovesAFolderWithWhatIsInIt) {
  const auto folder = make_folder("perdure-folder");
  {
    const TemporaryFile removed(folder);
  }
  EXPECT_FALSE(std::filesystem::exists(folder));
}

TEST(TemporaryFile, RemovesWhatLiesBesideAPoolOnADisk) {
  const auto folder = make_folder("perdure-beside");
  {
    const TemporaryFile removed(folder / "a.pool");
    for (const char* const name : {"a.pool", "a.pool.log", "a.pool.sums"}) std::ofstream(folder / name) << "some";
  }
  for (const char* const name : {"a.pool", "a.pool.log", "a.pool.sums"})
    EXPECT_FALSE(std::filesystem::exists(folder / name)) << name;
  std::filesystem::remove_all(folder);
}

TEST(TemporaryFile, RemovesAFolderWhenASignalEndsTheProgram) {
  const auto folder = make_folder("perdure-ended");
  EXPECT_EXIT(
      {
        const TemporaryFile removed(folder);
        raise(SIGTERM);
      },
      testing::KilledBySignal(SIGTERM), "");
  // It is removed by a process that nobody waits for.
  const auto begin = Clock::now();
  while (std::filesystem::exists(folder) && seconds_since(begin) < 30) std::this_thread::yield();
  EXPECT_FALSE(std::filesystem::exists(folder));
}

}  // namespace
}  // namespace perdure::benchmarks
