// The bare log of a pool on a disk, without pool and transactions, beside a program that writes and syncs each commit
// by itself: what a disk allows, in commits a second. All contestants take turns, since disks drift.
#include <CLI/CLI.hpp>
#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <filesystem>
#include <functional>
#include <string>
#include <thread>
#include <vector>

#include "disk/block_memory.h"
#include "disk/file_system.h"
#include "disk/log_file.h"
#include "disk/log_ring.h"
#include "perdure/error.h"

namespace perdure::benchmarks {
namespace {

using Clock = std::chrono::steady_clock;
using disk::SyncMethod;

struct Command {
  std::filesystem::path folder = ".";
  std::vector<unsigned> threads = {1, 2, 16, 64};
  double seconds = 1;
  std::size_t bytes = 200;
  unsigned rounds = 3;
};

struct Result {
  std::uint64_t commits = 0;
  std::uint64_t writes = 0;  // to the disk
  double seconds = 0;
  std::vector<std::uint64_t> nanoseconds;  // of each commit
};

std::uint64_t since(Clock::time_point start) {
  return static_cast<std::uint64_t>(std::chrono::nanoseconds(Clock::now() - start).count());
}

/// Lets threads commit for a while.
Result run(unsigned threads, double seconds, const std::function<void(unsigned)>& commit) {
  std::atomic<bool> ends{false};
  std::vector<std::vector<std::uint64_t>> durations(threads);
  std::vector<std::thread> workers;
  const auto start = Clock::now();
  for (unsigned thread = 0; thread < threads; ++thread)
    workers.emplace_back([&, thread] {
      while (!ends.load(std::memory_order_relaxed)) {
        const auto begin = Clock::now();
        commit(thread);
        durations[thread].push_back(since(begin));
      }
    });
  std::this_thread::sleep_for(std::chrono::duration<double>(seconds));
  ends = true;
  for (std::thread& worker : workers) worker.join();
  Result result;
  result.seconds = static_cast<double>(since(start)) / 1e9;
  for (const auto& of_thread : durations)
    result.nanoseconds.insert(result.nanoseconds.end(), of_thread.begin(), of_thread.end());
  result.commits = result.nanoseconds.size();
  return result;
}

void print(const char* contestant, unsigned threads, Result& result) {
  auto& all = result.nanoseconds;
  std::ranges::sort(all);
  const auto percentile = [&](double share) {
    if (all.empty()) return 0.0;
    return static_cast<double>(all[static_cast<std::size_t>(share * static_cast<double>(all.size() - 1))]) / 1e3;
  };
  std::printf("%s,%u,%.0f,%.1f,%.1f,%.3f\n", contestant, threads, static_cast<double>(result.commits) / result.seconds,
              percentile(0.5), percentile(0.99),
              static_cast<double>(result.writes) / static_cast<double>(std::max<std::uint64_t>(1, result.commits)));
  std::fflush(stdout);
}

/// The disk's file, which counts writes.
class CountingFile final : public disk::BlockFile {
 public:
  explicit CountingFile(disk::BlockFile& file) : file_(file) {}
  int write(std::uint64_t offset, const void* data, std::size_t bytes) noexcept override {
    ++writes;
    return file_.write(offset, data, bytes);
  }
  int write_durably(std::uint64_t offset, const void* data, std::size_t bytes) noexcept override {
    ++writes;
    return file_.write_durably(offset, data, bytes);
  }
  int read(std::uint64_t offset, void* data, std::size_t bytes) noexcept override {
    return file_.read(offset, data, bytes);
  }
  int sync() noexcept override { return file_.sync(); }
  int resize(std::uint64_t bytes) noexcept override { return file_.resize(bytes); }
  std::uint64_t size() noexcept override { return file_.size(); }

  std::atomic<std::uint64_t> writes{0};

 private:
  disk::BlockFile& file_;
};

constexpr std::uint64_t ring_blocks = (std::uint64_t{64} << 20) / disk::block_bytes;

void run_log(const Command& command, unsigned threads, disk::BlockFile& file, SyncMethod method, unsigned in_flight,
             const char* name) {
  CountingFile counting(file);
  const disk::Superblock superblock = disk::Superblocks::make({}, ring_blocks, method);
  disk::LogRing* filling = nullptr;
  // Nothing is to be kept: what is old is let go.
  disk::LogUse use;
  use.in_flight = in_flight;
  use.on_filling = [&] { filling->free_before(filling->mark()); };
  disk::LogRing ring(counting, command.folder, superblock, {}, use);
  filling = &ring;
  if (ring.begin_run() != 0) ring.require_sound();
  counting.writes = 0;
  const std::vector<std::uint64_t> words(command.bytes / sizeof(std::uint64_t), 7);
  Result result = run(threads, command.seconds, [&](unsigned) {
    ring.admit();
    ring.await(ring.append(1, words));
  });
  result.writes = counting.writes;
  print(name, threads, result);
}

/// Each thread writes a block of its own, and syncs.
void run_plain(const Command& command, unsigned threads, disk::BlockFile& file) {
  CountingFile counting(file);
  const disk::BlockMemory block(disk::block_bytes);
  std::vector<std::uint64_t> next(threads, 0);
  const std::uint64_t blocks_each = ring_blocks / threads;
  Result result = run(threads, command.seconds, [&](unsigned thread) {
    const std::uint64_t number = thread * blocks_each + next[thread]++ % blocks_each;
    int error = counting.write((1 + number) * disk::block_bytes, block.data(), disk::block_bytes);
    if (error == 0) error = counting.sync();
    if (error != 0) std::abort();
  });
  result.writes = counting.writes;
  print("pwrite+fdatasync", threads, result);
}

int main_of(const Command& command) {
  disk::FileSystem files;
  const auto path = command.folder / "perdure-disk-log";
  const auto file = disk::create_log(files, path, ring_blocks, path);
  std::printf("# this device: %s\n", disk::probe(*file, path) == SyncMethod::durable_write ? "RWF_DSYNC" : "fdatasync");
  std::printf("contestant,threads,commits_per_second,p50_us,p99_us,writes_per_commit\n");
  for (unsigned round = 0; round < command.rounds; ++round)
    for (const unsigned threads : command.threads) {
      run_log(command, threads, *file, SyncMethod::durable_write, 4, "log, 4 in flight");
      run_log(command, threads, *file, SyncMethod::durable_write, 2, "log, 2 in flight");
      run_log(command, threads, *file, SyncMethod::durable_write, 1, "log, 1 in flight");
      run_log(command, threads, *file, SyncMethod::sync_after, 1, "log, fdatasync");
      run_plain(command, threads, *file);
    }
  return files.remove(path);
}

}  // namespace
}  // namespace perdure::benchmarks

int main(int argc, char** argv) {
  perdure::benchmarks::Command command;
  CLI::App app("The bare log of a pool on a disk, beside pwrite and fdatasync");
  app.add_option("--folder", command.folder, "on the disk that is measured");
  app.add_option("--threads", command.threads, "numbers of threads")->check(CLI::Range(1, 1000));
  app.add_option("--seconds", command.seconds, "of each measurement")->check(CLI::PositiveNumber);
  app.add_option("--bytes", command.bytes, "of a commit")->check(CLI::Range(8, 100000));
  app.add_option("--rounds", command.rounds, "in which all take turns");
  CLI11_PARSE(app, argc, argv);
  try {
    return perdure::benchmarks::main_of(command);
  } catch (const perdure::Error& error) {
    std::fprintf(stderr, "disk_log: %s\n", error.what());
    return 1;
  }
}
