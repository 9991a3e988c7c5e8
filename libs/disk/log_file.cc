#include "disk/log_file.h"

#include <algorithm>
#include <array>
#include <atomic>
#include <cerrno>
#include <system_error>
#include <thread>
#include <vector>

#include "disk/block_memory.h"
#include "disk/group.h"
#include "persist/fault.h"
#include "pool/refuse.h"

namespace perdure::disk {
namespace {

using Kind = PoolError::Kind;

constexpr std::size_t written_at_once = std::size_t{1} << 20;

[[noreturn]] void refuse_to_open(int error, const std::filesystem::path& path, const std::filesystem::path& pool) {
  if (error == EINVAL)
    pool::refuse(Kind::usage, pool,
                 "cannot have its log at '" + path.string() +
                     "': the file system there has no direct output (O_DIRECT). Choose another one.");
  pool::refuse_errno(error, pool, "opening its log '" + path.string() + "'");
}

int write_zeros(BlockFile& file, std::uint64_t bytes) {
  const BlockMemory zeros(written_at_once);
  for (std::uint64_t offset = 0; offset < bytes; offset += written_at_once)
    if (const int error = file.write(offset, zeros.data(), std::min<std::uint64_t>(written_at_once, bytes - offset)))
      return error;
  return file.sync();
}

Duration median(std::span<Duration> durations) {
  const auto middle = durations.begin() + static_cast<std::ptrdiff_t>(durations.size() / 2);
  std::ranges::nth_element(durations, middle);
  return *middle;
}

}  // namespace

std::filesystem::path followed(const std::filesystem::path& path) {
  std::error_code error;
  if (!std::filesystem::is_symlink(path, error)) return path;
  const std::filesystem::path real = std::filesystem::canonical(path, error);
  return error ? path : real;
}
std::filesystem::path log_path(const std::filesystem::path& pool) { return followed(pool).string() + ".log"; }
std::filesystem::path orphan_path(const std::filesystem::path& pool) { return log_path(pool).string() + ".orphan"; }

std::uint64_t default_log_blocks(std::uint64_t image_bytes) {
  constexpr std::uint64_t least = std::uint64_t{4} << 20;
  constexpr std::uint64_t most = std::uint64_t{64} << 20;
  return (image_bytes == 0 ? most : std::clamp(image_bytes, least, most)) / block_bytes;
}

std::unique_ptr<BlockFile> create_log(Volume& volume, const std::filesystem::path& path, std::uint64_t blocks,
                                      const std::filesystem::path& pool) {
  const std::filesystem::path unfinished = path.string() + ".creating";
  OpenedFile opened = volume.create(unfinished);
  if (opened.error != 0) refuse_to_open(opened.error, path, pool);
  int error = opened.file->resize((blocks + 1) * block_bytes);
  if (error == 0) error = write_zeros(*opened.file, (blocks + 1) * block_bytes);
  if (error == 0) error = volume.rename(unfinished, path);
  if (error == 0 && !persist::is_seeded(persist::Fault::log_name_not_synced)) error = volume.sync_folder_of(path);
  if (error == 0) return std::move(opened.file);
  // What failed is what is reported.
  if (const int ignored = volume.remove(unfinished); ignored != 0) errno = error;
  pool::refuse_errno(error, pool, "writing its log '" + path.string() + "'");
}

std::unique_ptr<BlockFile> open_log(Volume& volume, const std::filesystem::path& path,
                                    const std::filesystem::path& pool) {
  OpenedFile opened = volume.open(path);
  if (opened.error == ENOENT)
    pool::refuse(Kind::damaged, pool,
                 "has lost its log '" + path.string() +
                     "', and with it transactions that were committed. Put it back ('" + orphan_path(pool).string() +
                     "', if there is one), or restore a backup.");
  if (opened.error != 0) refuse_to_open(opened.error, path, pool);
  return std::move(opened.file);
}

SyncMethod choose_method(std::span<Duration> durable_writes, std::span<Duration> sync_after) {
  // A write that is a quarter slower is still worth having several in flight.
  return median(durable_writes) * 4 <= median(sync_after) * 5 ? SyncMethod::durable_write : SyncMethod::sync_after;
}

SyncMethod probe(BlockFile& log, const std::filesystem::path& pool) {
  constexpr std::size_t rounds = 15;
  std::array<Duration, rounds> durable_writes{};
  std::array<Duration, rounds> sync_after{};
  const BlockMemory zeros(block_bytes);
  const auto timed = [](auto&& write, Duration& duration) {
    const auto start = std::chrono::steady_clock::now();
    const int error = write();
    duration = std::chrono::steady_clock::now() - start;
    return error;
  };
  for (std::size_t i = 0; i < rounds; ++i) {
    const std::uint64_t offset = (1 + i) * block_bytes;
    const int refused = timed([&] { return log.write_durably(offset, zeros.data(), block_bytes); }, durable_writes[i]);
    if (refused == EOPNOTSUPP || refused == EINVAL) return SyncMethod::sync_after;
    int error = refused;
    if (error == 0)
      error = timed(
          [&] {
            const int failed = log.write(offset, zeros.data(), block_bytes);
            return failed != 0 ? failed : log.sync();
          },
          sync_after[i]);
    if (error != 0) pool::refuse_errno(error, pool, "trying out its log");
  }
  return choose_method(durable_writes, sync_after);
}

unsigned choose_in_flight(std::span<const double> writes_per_second) {
  constexpr double least_gain = 1.2;
  unsigned count = 1;
  for (std::size_t i = 1; i < writes_per_second.size(); ++i, count *= 2)
    if (writes_per_second[i] < writes_per_second[i - 1] * least_gain) return count;
  return count;
}

namespace {

/// \returns 0 or an errno.
int write_at_once(BlockFile& log, unsigned threads, unsigned writes_of_each) {
  std::atomic<int> error{0};
  const auto work = [&](unsigned thread) {
    const BlockMemory zeros(block_bytes);
    for (unsigned i = 0; i < writes_of_each && error == 0; ++i)
      if (const int failed =
              log.write_durably((1 + thread * writes_of_each + i) * block_bytes, zeros.data(), block_bytes))
        error = failed;
  };
  std::vector<std::thread> others;
  for (unsigned thread = 1; thread < threads; ++thread) others.emplace_back(work, thread);
  work(0);
  for (std::thread& other : others) other.join();
  return error;
}

}  // namespace

unsigned probe_in_flight(BlockFile& log, const std::filesystem::path& pool) {
  constexpr unsigned writes_of_each = 16;
  std::vector<double> rates;
  try {
    for (unsigned threads = 1; threads <= most_in_flight; threads *= 2) {
      const auto start = std::chrono::steady_clock::now();
      if (const int error = write_at_once(log, threads, writes_of_each); error != 0)
        pool::refuse_errno(error, pool, "trying out its log");
      const std::chrono::duration<double> taken = std::chrono::steady_clock::now() - start;
      rates.push_back(threads * writes_of_each / taken.count());
    }
  } catch (const std::system_error&) {
    // There can be no threads.
  }
  return choose_in_flight(rates);
}

}  // namespace perdure::disk
