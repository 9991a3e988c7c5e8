// Checkpoints beside threads that commit, over files of this machine: what recovery makes of image and log is what was
// in memory.
#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <cstring>
#include <thread>
#include <vector>

#include "disk/checkpointer.h"
#include "disk/dirty_pages.h"
#include "disk/file_system.h"
#include "disk/log_file.h"
#include "disk/log_ring.h"
#include "folder.h"

namespace perdure::disk {
namespace {

TEST(DirtyPages, AreTakenInTheirOrderAndOnce) {
  DirtyPages dirty(200 * block_bytes);
  dirty.mark(3 * block_bytes + 8, 8);
  dirty.mark(4 * block_bytes, 2 * block_bytes);
  dirty.mark(63 * block_bytes, 2 * block_bytes);
  dirty.mark(199 * block_bytes + 4088, 8);
  EXPECT_EQ(dirty.count(), 6U);
  std::vector<std::pair<std::uint64_t, std::size_t>> runs;
  std::uint64_t page = 0;
  while (const std::size_t count = dirty.take(page, 2)) {
    runs.emplace_back(page, count);
    page += count;
  }
  EXPECT_EQ(runs, (std::vector<std::pair<std::uint64_t, std::size_t>>{{3, 2}, {5, 1}, {63, 2}, {199, 1}}));
  EXPECT_EQ(dirty.count(), 0U);
}

TEST(DirtyPages, MarkedAgainAreTakenAgain) {
  DirtyPages dirty(10 * block_bytes);
  std::uint64_t page = 0;
  dirty.mark(block_bytes, 8);
  EXPECT_EQ(dirty.take(page, 10), 1U);
  dirty.mark(block_bytes, 8);
  page = 0;
  EXPECT_EQ(dirty.take(page, 10), 1U);
  EXPECT_EQ(page, 1U);
}

TEST(Checkpointer, MakesOneForARequestThatComesWhileOneIsMade) {
  std::atomic<unsigned> made{0};
  std::atomic<bool> may_end{false};
  Checkpointer checkpointer([&] {
    ++made;
    while (!may_end.load()) std::this_thread::yield();
  });
  checkpointer.request();
  while (made.load() == 0) std::this_thread::yield();
  checkpointer.request();
  may_end = true;
  while (made.load() < 2) std::this_thread::yield();
}

/// A program that stores words of an image in memory, each thread in its own stripe; with a real log, a real file and
/// checkpoints that the log asks for.
class CheckpointTest : public testing::Test {
 protected:
  static constexpr std::uint64_t threads = 4;
  static constexpr std::uint64_t words = 16 * block_bytes / sizeof(std::uint64_t);
  static constexpr std::uint64_t superblock_offset = words * sizeof(std::uint64_t);
  static constexpr std::uint64_t ring_blocks = 256;

  void create() {
    log_ = create_log(files_, folder_ / "pool.log", ring_blocks, folder_ / "pool");
    file_ = std::move(files_.create(folder_ / "pool").file);
    ASSERT_NE(file_, nullptr);
    ASSERT_EQ(file_->resize(superblock_offset + block_bytes), 0);
    superblocks_ =
        std::make_unique<Superblocks>(SuperblockPlace{file_.get(), superblock_offset}, SuperblockPlace{log_.get(), 0});
    ASSERT_EQ(superblocks_->write(Superblocks::make({1}, ring_blocks, SyncMethod::durable_write)), 0);
  }

  std::vector<std::uint64_t> recover() {
    BlockMemory image(superblock_offset);
    EXPECT_EQ(file_->read(0, image.data(), image.size()), 0);
    std::vector<std::uint64_t> found(words);
    std::memcpy(found.data(), image.data(), image.size());
    const auto replay = [&](const LogRecord& record) { found.at(record.payload[0]) = record.payload[1]; };
    end_ = read_log(*log_, superblocks_->find(folder_ / "pool"), folder_ / "pool", replay);
    return found;
  }

  /// As transactions do: append, store, mark, and wait. A thread says while it does that it has not written back.
  void commit(LogRing& log, std::uint64_t thread, std::uint64_t i) {
    const std::uint64_t record[] = {(i * 37 % (words / threads)) * threads + thread, i};
    log.admit();
    busy_[thread].store(true);
    const std::uint64_t end = log.append(1, record);
    std::atomic_ref(image_.as<std::uint64_t>(record[0] * sizeof(std::uint64_t))).store(i, std::memory_order_relaxed);
    DirtyPages::stored();
    dirty_.mark(record[0] * sizeof(std::uint64_t), sizeof(std::uint64_t));
    busy_[thread].store(false);
    log.await(end);
  }

  void await_write_back() {
    for (std::atomic<bool>& busy : busy_)
      while (busy.load()) std::this_thread::yield();
  }

  Folder folder_;
  FileSystem files_;
  std::unique_ptr<BlockFile> log_;
  std::unique_ptr<BlockFile> file_;
  std::unique_ptr<Superblocks> superblocks_;
  LogEnd end_;
  BlockMemory image_{superblock_offset};
  DirtyPages dirty_{superblock_offset};
  std::array<std::atomic<bool>, threads> busy_{};
};

TEST_F(CheckpointTest, ImageAndLogTogetherHoldWhatWasCommitted) {
  create();
  recover();
  {
    PageCopier pages(image_.data(), dirty_, [this] { await_write_back(); });
    Checkpointer* to_ask = nullptr;
    LogRing log(*log_, folder_ / "pool", superblocks_->current(), end_,
                {.buffer_bytes = 65536, .on_filling = [&] { to_ask->request(); }});
    std::atomic<unsigned> checkpoints{0};
    Checkpointer checkpointer([&] {
      EXPECT_EQ(write_checkpoint(log, *superblocks_, *file_, pages), 0);
      ++checkpoints;
    });
    to_ask = &checkpointer;
    ASSERT_EQ(log.begin_run(), 0);
    std::vector<std::thread> workers;
    for (std::uint64_t thread = 0; thread < threads; ++thread)
      workers.emplace_back([&, thread] {
        for (std::uint64_t i = 1; i <= 300; ++i) commit(log, thread, i);
      });
    for (std::thread& worker : workers) worker.join();
    checkpointer.request();
    const unsigned before = checkpoints;
    while (checkpoints == before) std::this_thread::yield();
  }
  const std::vector<std::uint64_t> found = recover();
  for (std::uint64_t i = 0; i < words; ++i)
    ASSERT_EQ(found[i], image_.as<std::uint64_t>(i * sizeof(std::uint64_t))) << "word " << i;
  EXPECT_GT(superblocks_->current().begin.block, 0U) << "there were checkpoints";
}

}  // namespace
}  // namespace perdure::disk
