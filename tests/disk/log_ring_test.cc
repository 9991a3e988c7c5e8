// The log over files of this machine: groups of many threads, errors, full logs; and the order of recovered records.
#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <map>
#include <thread>
#include <vector>

#include "disk/checkpoint.h"
#include "disk/file_system.h"
#include "disk/flusher.h"
#include "disk/log_file.h"
#include "disk/log_ring.h"
#include "folder.h"
#include "perdure/error.h"

namespace perdure::disk {
namespace {

constexpr std::uint64_t default_blocks = 1024;

/// A log and what stands for an image: a file for the other superblock.
class LogRingTest : public testing::Test {
 protected:
  void make(SyncMethod method, std::uint64_t blocks = default_blocks) {
    log_ = create_log(files_, folder_ / "pool.log", blocks, folder_ / "pool");
    image_ = std::move(files_.create(folder_ / "pool").file);
    ASSERT_NE(image_, nullptr);
    ASSERT_EQ(image_->resize(block_bytes), 0);
    superblocks_ = std::make_unique<Superblocks>(SuperblockPlace{image_.get(), 0}, SuperblockPlace{log_.get(), 0});
    ASSERT_EQ(superblocks_->write(Superblocks::make({1}, blocks, method)), 0);
  }

  /// Reads what is there, and begins a run behind it.
  void open(const LogUse& use = {}) {
    records_.clear();
    ring_.reset();
    const Superblock superblock = superblocks_->find(folder_ / "pool");
    const LogEnd end = read_log(*log_, superblock, folder_ / "pool", [this](const LogRecord& record) {
      records_.emplace_back(record.payload.begin(), record.payload.end());
    });
    ring_ = std::make_unique<LogRing>(*log_, folder_ / "pool", superblock, end, use);
    ASSERT_EQ(ring_->begin_run(), 0);
  }

  /// Each of `threads` appends its numbers, and waits for each.
  void commit_in_parallel(std::uint64_t threads, std::uint64_t commits, std::size_t words) {
    std::vector<std::thread> workers;
    for (std::uint64_t thread = 0; thread < threads; ++thread)
      workers.emplace_back([&, thread] {
        for (std::uint64_t i = 1; i <= commits; ++i) {
          std::vector<std::uint64_t> payload(words + i % 3, i);
          payload.front() = thread;
          ring_->admit();
          const std::uint64_t end = ring_->append(1, payload);
          ring_->await(end);
          EXPECT_TRUE(ring_->is_durable(end));
        }
      });
    for (std::thread& worker : workers) worker.join();
  }

  void expect_all(std::uint64_t threads, std::uint64_t commits) const {
    std::map<std::uint64_t, std::uint64_t> last;
    for (const auto& record : records_) {
      EXPECT_EQ(record[1], last[record[0]] + 1) << "the records of thread " << record[0] << " are in their order";
      last[record[0]] = record[1];
      EXPECT_TRUE(std::all_of(record.begin() + 1, record.end(), [&](auto word) { return word == record[1]; }));
    }
    EXPECT_EQ(last.size(), threads);
    for (const auto& [thread, count] : last) EXPECT_EQ(count, commits) << thread;
  }

  Folder folder_;
  FileSystem files_;
  std::unique_ptr<BlockFile> log_;
  std::unique_ptr<BlockFile> image_;
  std::unique_ptr<Superblocks> superblocks_;
  std::unique_ptr<LogRing> ring_;
  std::vector<std::vector<std::uint64_t>> records_;
};

class EachMethod : public LogRingTest, public testing::WithParamInterface<SyncMethod> {};

TEST_P(EachMethod, KeepsWhatManyThreadsCommit) {
  make(GetParam());
  open();
  commit_in_parallel(8, 40, 20);
  open();
  expect_all(8, 40);
}

TEST_P(EachMethod, KeepsRecordsThatAreLongerThanAGroup) {
  make(GetParam());
  open({.buffer_bytes = 65536, .group_bytes = 5000});
  commit_in_parallel(4, 10, 1900);  // of 15 KiB
  open();
  expect_all(4, 10);
}

TEST_P(EachMethod, GoesRoundTheRingWhileCheckpointsMakeRoom) {
  make(GetParam(), 128);
  std::atomic<bool> is_filling{false};
  std::atomic<bool> ends{false};
  open({.buffer_bytes = 32768, .on_filling = [&] { is_filling = true; }});
  struct NoPages {
    void await_write_back() const {}
    bool next(PageExtent&) const { return false; }
    void written(const PageExtent&) const {}
  };
  std::uint64_t checkpoints = 0;
  std::thread checkpointer([&] {
    NoPages none;
    while (!ends.load()) {
      if (!is_filling.exchange(false)) {
        std::this_thread::yield();
        continue;
      }
      EXPECT_EQ(write_checkpoint(*ring_, *superblocks_, *image_, none), 0);
      ++checkpoints;
    }
  });
  commit_in_parallel(4, 150, 100);
  ends = true;
  checkpointer.join();
  EXPECT_GT(checkpoints, 1U);
  const std::uint64_t last_block = ring_->mark().block;
  EXPECT_GT(last_block, 128U) << "it went round";
  open();  // what comes behind the last checkpoint
  for (const auto& record : records_) EXPECT_LE(record[1], 150U);
}

INSTANTIATE_TEST_SUITE_P(Both, EachMethod, testing::Values(SyncMethod::durable_write, SyncMethod::sync_after),
                         [](const auto& info) {
                           return info.param == SyncMethod::durable_write ? "durable_write" : "sync_after";
                         });

TEST_F(LogRingTest, MakesRelaxedRecordsDurableWithinTheirLag) {
  make(SyncMethod::durable_write);
  open();
  Flusher flusher(*ring_, {.time = std::chrono::milliseconds(1)});
  for (std::uint64_t i = 1; i <= 3; ++i) {
    const std::uint64_t words[] = {0, i};
    const std::uint64_t end = ring_->append(1, words);
    flusher.note_append();
    while (!ring_->is_durable(end)) std::this_thread::yield();
  }
}

TEST_F(LogRingTest, FlushesAtOnceWhenMuchWaits) {
  make(SyncMethod::durable_write);
  open();
  // An hour is more than this test has: what is durable is so for its bytes.
  Flusher flusher(*ring_, {.time = std::chrono::hours(1), .bytes = 4096});
  const std::vector<std::uint64_t> words(600, 1);
  const std::uint64_t end = ring_->append(1, words);
  flusher.note_append();
  while (!ring_->is_durable(end)) std::this_thread::yield();
}

TEST_F(LogRingTest, FlushesAtItsEnd) {
  make(SyncMethod::durable_write);
  open();
  const std::uint64_t words[] = {0, 1};
  {
    Flusher flusher(*ring_, {.time = std::chrono::hours(1)});
    ring_->append(1, words);
    flusher.note_append();
  }
  EXPECT_TRUE(ring_->is_durable(ring_->appended()));
}

/// Works, until it is told to fail once.
class FailingFile final : public BlockFile {
 public:
  explicit FailingFile(BlockFile& file) : file_(file) {}
  int write(std::uint64_t offset, const void* data, std::size_t bytes) noexcept override {
    return file_.write(offset, data, bytes);
  }
  int write_durably(std::uint64_t offset, const void* data, std::size_t bytes) noexcept override {
    if (const int error = next_error.exchange(0)) return error;
    return file_.write_durably(offset, data, bytes);
  }
  int read(std::uint64_t offset, void* data, std::size_t bytes) noexcept override {
    return file_.read(offset, data, bytes);
  }
  int sync() noexcept override { return file_.sync(); }
  int resize(std::uint64_t bytes) noexcept override { return file_.resize(bytes); }
  std::uint64_t size() noexcept override { return file_.size(); }

  std::atomic<int> next_error{0};

 private:
  BlockFile& file_;
};

TEST_F(LogRingTest, TellsAllWhoWaitOfAnErrorAndAcknowledgesNothingAfterIt) {
  make(SyncMethod::durable_write);
  FailingFile failing(*log_);
  LogRing ring(failing, folder_ / "pool", superblocks_->current(), {});
  ASSERT_EQ(ring.begin_run(), 0);
  failing.next_error = ENOSPC;
  std::atomic<unsigned> told{0};
  std::vector<std::thread> threads;
  for (std::uint64_t thread = 0; thread < 8; ++thread)
    threads.emplace_back([&, thread] {
      const std::uint64_t words[] = {thread, 1};
      const std::uint64_t end = ring.append(1, words);
      try {
        ring.await(end);
      } catch (const durability_error& error) {
        ++told;
        EXPECT_NE(std::string(error.what()).find("No space left on device"), std::string::npos) << error.what();
      }
    });
  for (std::thread& thread : threads) thread.join();
  EXPECT_GE(told, 1U);
  const std::uint64_t words[] = {0, 2};
  const std::uint64_t durable = ring.durable();
  EXPECT_THROW(ring.admit(), DurabilityError);
  EXPECT_THROW(ring.await(ring.append(1, words)), DurabilityError) << "though the disk works again";
  EXPECT_EQ(ring.durable(), durable);
  ring_.reset();
  open();
  EXPECT_EQ(records_.size(), 8 - told) << "what was acknowledged is there";
}

TEST(SyncMethods, AreChosenByTheMedianOfWhatWasMeasured) {
  using namespace std::chrono_literals;
  Duration fast[] = {90us, 100us, 9000us};
  Duration slow[] = {900us, 1000us, 1us};
  EXPECT_EQ(choose_method(fast, slow), SyncMethod::durable_write);
  EXPECT_EQ(choose_method(slow, fast), SyncMethod::sync_after);
}

TEST_F(LogRingTest, FindsAMethodForThisDevice) {
  make(SyncMethod::durable_write);
  const SyncMethod method = probe(*log_, folder_ / "pool");
  EXPECT_TRUE(method == SyncMethod::durable_write || method == SyncMethod::sync_after);
  open();
  EXPECT_TRUE(records_.empty()) << "it leaves zeros";
}

}  // namespace
}  // namespace perdure::disk
