// The log over files of this machine: groups of many threads, errors, full logs; and the order of recovered records.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
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

/// Where one of the first writes fails: threads append a record each, and wait for it.
class FailingDisk : public LogRingTest {
 protected:
  void begin(unsigned in_flight) {
    make(SyncMethod::durable_write);
    failing_ = std::make_unique<FailingFile>(*log_);
    ring_ = std::make_unique<LogRing>(*failing_, folder_ / "pool", superblocks_->current(), LogEnd{},
                                      LogUse{.in_flight = in_flight});
    ASSERT_EQ(ring_->begin_run(), 0);
    failing_->next_error = ENOSPC;
  }

  bool is_acknowledged(std::uint64_t thread) {
    const std::uint64_t words[] = {thread, 1};
    const std::uint64_t end = ring_->append(1, words);
    try {
      ring_->await(end);
    } catch (const durability_error& error) {
      EXPECT_NE(std::string(error.what()).find("No space left on device"), std::string::npos) << error.what();
      return false;
    }
    return true;
  }

  std::array<bool, 8> acknowledge_in_parallel() {
    std::array<bool, 8> acknowledged{};
    std::vector<std::thread> threads;
    for (std::uint64_t thread = 0; thread < acknowledged.size(); ++thread)
      threads.emplace_back([&, thread] { acknowledged[thread] = is_acknowledged(thread); });
    for (std::thread& thread : threads) thread.join();
    return acknowledged;
  }

  void expect_nothing_more() {
    const std::uint64_t words[] = {0, 2};
    const std::uint64_t durable = ring_->durable();
    EXPECT_THROW(ring_->admit(), DurabilityError);
    EXPECT_THROW(ring_->await(ring_->append(1, words)), DurabilityError) << "though the disk works again";
    EXPECT_EQ(ring_->durable(), durable);
  }

  bool is_there(std::uint64_t thread) const {
    return std::any_of(records_.begin(), records_.end(), [&](const auto& record) { return record[0] == thread; });
  }

  std::unique_ptr<FailingFile> failing_;
};

TEST_F(FailingDisk, TellsAllWhoWaitAndAcknowledgesNothingAfterIt) {
  begin(1);
  const std::array<bool, 8> acknowledged = acknowledge_in_parallel();
  EXPECT_NE(std::count(acknowledged.begin(), acknowledged.end(), false), 0);
  expect_nothing_more();
  open();
  for (std::uint64_t thread = 0; thread < acknowledged.size(); ++thread)
    EXPECT_EQ(is_there(thread), acknowledged[thread]) << "one write at a time: nobody's fate is unknown";
}

TEST_F(FailingDisk, KeepsWhatWasAcknowledgedWhenGroupsAreInFlight) {
  begin(most_in_flight);
  const std::array<bool, 8> acknowledged = acknowledge_in_parallel();
  EXPECT_NE(std::count(acknowledged.begin(), acknowledged.end(), false), 0);
  expect_nothing_more();
  open();
  for (std::uint64_t thread = 0; thread < acknowledged.size(); ++thread)
    EXPECT_LE(acknowledged[thread], is_there(thread)) << thread;
}

TEST_F(FailingDisk, MayHoldWhatAnErrorWasToldOf) {
  begin(most_in_flight);
  failing_->next_error = 0;
  LogRing::Group* groups[2] = {};
  for (std::uint64_t i = 0; i < 2; ++i) {
    const std::uint64_t words[] = {i, 1};
    ring_->append(1, words);
    ASSERT_EQ(ring_->cut(groups[i]), LogRing::Cut::made);
  }
  ring_->complete(*groups[1], EIO);
  ring_->complete(*groups[0], ring_->write(*groups[0]));
  EXPECT_FALSE(ring_->is_durable(groups[0]->end)) << "nothing is acknowledged after an error";
  expect_nothing_more();
  open();
  EXPECT_TRUE(is_there(0)) << "it is written before the one that failed";
  EXPECT_FALSE(is_there(1));
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
