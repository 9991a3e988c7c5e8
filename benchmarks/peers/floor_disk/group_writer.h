#ifndef PERDURE_BENCHMARKS_PEERS_GROUP_WRITER_H
#define PERDURE_BENCHMARKS_PEERS_GROUP_WRITER_H

#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <mutex>
#include <span>

#include "disk/block_memory.h"
#include "disk/file_system.h"
#include "disk/log_file.h"
#include "disk/superblock.h"

namespace perdure::peers {

/// The least that makes commits durable on a disk: threads meet, the last to come writes what all have changed, in one
/// write with its sync, to a ring of zeros. Nothing else: no header, no checksum, no checkpoint.
class GroupWriter {
 public:
  /// Its file lies in the working directory, and has no name any more.
  GroupWriter() {
    constexpr const char* path = "perdure-floor-disk";
    file_ = disk::create_log(files_, path, ring_blocks, path);
    method_ = disk::probe(*file_, path);
    require(files_.remove(path));
  }

  /// Returns when the words are on the disk, with those of all other threads that are here.
  void commit(std::span<const std::uint64_t> words) {
    // The first thread of a benchmark waits for the others most of the time, so nobody waits for it.
    thread_local const bool is_first = getpid() == gettid();
    if (is_first) {
      const std::scoped_lock lock(mutex_);
      put(words);
      return write();
    }
    thread_local const Membership membership(*this);
    std::unique_lock lock(mutex_);
    put(words);
    const std::uint64_t group = group_;
    if (++arrived_ >= members_) return write();
    // Who does not come has ended, or does something else: this never happens while all of them commit.
    constexpr std::chrono::milliseconds longest{5};
    while (group_ == group)
      if (written_.wait_for(lock, longest) == std::cv_status::timeout && group_ == group) write();
  }

 private:
  static constexpr std::uint64_t ring_blocks = (std::uint64_t{64} << 20) / disk::block_bytes;
  static constexpr std::size_t most_bytes = std::size_t{1} << 20;

  /// A thread that commits now and then.
  class Membership {
   public:
    explicit Membership(GroupWriter& writer) : writer_(writer) { ++writer_.members_; }
    Membership(const Membership&) = delete;
    Membership& operator=(const Membership&) = delete;
    ~Membership() { --writer_.members_; }

   private:
    GroupWriter& writer_;
  };

  static void require(int error) {
    if (error == 0) return;
    std::fprintf(stderr, "floor_disk: %s\n", std::strerror(error));
    std::abort();
  }

  void put(std::span<const std::uint64_t> words) {
    if (used_ + words.size_bytes() > most_bytes) write();
    if (words.size_bytes() > most_bytes) words = words.first(most_bytes / sizeof(std::uint64_t));
    std::memcpy(memory_.data() + used_, words.data(), words.size_bytes());
    used_ += words.size_bytes();
  }

  /// With the lock: all others wait for this anyway.
  void write() {
    const std::uint64_t blocks = std::max<std::uint64_t>(1, (used_ + disk::block_bytes - 1) / disk::block_bytes);
    if (next_ + blocks > ring_blocks) next_ = 0;
    const std::uint64_t offset = (1 + next_) * disk::block_bytes;
    next_ += blocks;
    if (method_ == disk::SyncMethod::durable_write) {
      require(file_->write_durably(offset, memory_.data(), blocks * disk::block_bytes));
    } else {
      require(file_->write(offset, memory_.data(), blocks * disk::block_bytes));
      require(file_->sync());
    }
    used_ = 0;
    arrived_ = 0;
    ++group_;
    written_.notify_all();
  }

  disk::FileSystem files_;
  std::unique_ptr<disk::BlockFile> file_;
  disk::SyncMethod method_;
  std::atomic<unsigned> members_{0};

  std::mutex mutex_;
  std::condition_variable written_;
  disk::BlockMemory memory_{most_bytes};
  std::size_t used_ = 0;
  unsigned arrived_ = 0;
  std::uint64_t group_ = 0;
  std::uint64_t next_ = 0;  // block
};

inline GroupWriter& group_writer() {
  static auto* const writer = new GroupWriter;  // threads may end after static objects have
  return *writer;
}

}  // namespace perdure::peers

#endif
