// What the simulated disk loses and keeps: it must be able to lose everything that was not promised.
#include <gtest/gtest.h>

#include <array>
#include <cerrno>
#include <set>
#include <string>

#include "simulate/block_volume.h"

namespace perdure::simulate {
namespace {

using Bytes = std::array<char, 4 * disk::sector_bytes>;

Bytes filled(char with) {
  Bytes bytes;
  bytes.fill(with);
  return bytes;
}

/// The first byte of each sector.
std::string sectors(BlockVolume& volume) {
  Bytes bytes{};
  const auto opened = volume.open("file");
  if (opened.file == nullptr) return "no file";
  EXPECT_EQ(opened.file->read(0, bytes.data(), bytes.size()), 0);
  std::string first;
  for (std::size_t i = 0; i < bytes.size(); i += disk::sector_bytes)
    first += bytes[i] == 0 ? '-' : bytes[i];  // NOLINT: of characters
  return first;
}

class BlockVolumeTest : public testing::Test {
 protected:
  BlockVolumeTest() : file_(volume_.create("file").file) {
    EXPECT_EQ(file_->write(0, filled('a').data(), sizeof(Bytes)), 0);
    EXPECT_EQ(file_->sync(), 0);
    EXPECT_EQ(volume_.sync_folder_of("file"), 0);
  }

  std::set<std::string> outcomes() {
    std::set<std::string> found;
    DiskChoices choices(100000);
    do found.insert(sectors(*volume_.after_power_cut(choices)));
    while (choices.next());
    return found;
  }

  BlockVolume volume_;
  std::unique_ptr<disk::BlockFile> file_;
};

TEST_F(BlockVolumeTest, KeepsWhatWasSynced) { EXPECT_EQ(outcomes(), std::set<std::string>{"aaaa"}); }

TEST_F(BlockVolumeTest, KeepsAnySubsetOfWhatWasNot) {
  EXPECT_EQ(file_->write(0, filled('b').data(), sizeof(Bytes)), 0);
  const auto found = outcomes();
  EXPECT_EQ(found.size(), 16U);
  EXPECT_TRUE(found.contains("abab") && found.contains("aaaa") && found.contains("bbbb"));
  EXPECT_EQ(sectors(*volume_.after_kill()), "bbbb");
}

TEST_F(BlockVolumeTest, KeepsAnyVersionOfASectorThatWasWrittenTwice) {
  EXPECT_EQ(file_->write(0, filled('b').data(), disk::sector_bytes), 0);
  EXPECT_EQ(file_->write(0, filled('c').data(), disk::sector_bytes), 0);
  EXPECT_EQ(outcomes(), (std::set<std::string>{"aaaa", "baaa", "caaa"}));
}

TEST_F(BlockVolumeTest, KeepsADurableWriteAndNothingElseForIt) {
  EXPECT_EQ(file_->write(0, filled('b').data(), disk::sector_bytes), 0);
  EXPECT_EQ(file_->write_durably(disk::sector_bytes, filled('c').data(), disk::sector_bytes), 0);
  EXPECT_EQ(outcomes(), (std::set<std::string>{"acaa", "bcaa"}));
}

TEST_F(BlockVolumeTest, TearsTheWriteInWhichThePowerFails) {
  volume_.cut_power_in(volume_.calls());
  EXPECT_EQ(file_->write_durably(0, filled('b').data(), sizeof(Bytes)), EIO);
  EXPECT_EQ(file_->sync(), EIO) << "there is no power";
  EXPECT_EQ(outcomes().size(), 16U);
}

TEST_F(BlockVolumeTest, ForgetsWhatASyncThatFailedShouldHaveKept) {
  EXPECT_EQ(file_->write(0, filled('b').data(), disk::sector_bytes), 0);
  volume_.fail_in(volume_.calls(), EIO, BlockVolume::Failure::has_no_effect);
  EXPECT_EQ(file_->sync(), EIO);
  EXPECT_EQ(outcomes(), (std::set<std::string>{"aaaa", "baaa"}));
  EXPECT_EQ(file_->sync(), 0) << "the error is reported once";
  EXPECT_EQ(outcomes(), std::set<std::string>{"aaaa"});
  EXPECT_EQ(sectors(volume_), "aaaa");
}

TEST(BlockVolumeThroughThePageCache, ShowsWhatTheDeviceLacks) {
  BlockVolume volume(BlockVolume::Reading::page_cache);
  const auto file = volume.create("file").file;
  EXPECT_EQ(file->write(0, filled('b').data(), sizeof(Bytes)), 0);
  volume.fail_in(volume.calls(), EIO, BlockVolume::Failure::has_no_effect);
  EXPECT_EQ(file->sync(), EIO);
  EXPECT_EQ(file->sync(), 0);
  EXPECT_EQ(sectors(volume), "bbbb");
  EXPECT_EQ(sectors(*volume.after_kill()), "bbbb") << "a kill keeps the cache";
}

TEST_F(BlockVolumeTest, WritesAHalfWhereItIsToldTo) {
  volume_.fail_in(volume_.calls(), ENOSPC, BlockVolume::Failure::has_half);
  EXPECT_EQ(file_->write(0, filled('b').data(), sizeof(Bytes)), ENOSPC);
  EXPECT_EQ(outcomes(), (std::set<std::string>{"aaaa", "abaa", "baaa", "bbaa"}));
}

TEST_F(BlockVolumeTest, MayLoseANameThatWasNotSynced) {
  EXPECT_EQ(volume_.rename("file", "other"), 0);
  EXPECT_EQ(outcomes(), (std::set<std::string>{"aaaa", "no file"}));
  EXPECT_EQ(volume_.sync_folder_of("file"), 0);
  EXPECT_EQ(outcomes(), std::set<std::string>{"no file"});
}

TEST(DiskChoices, AreEachTakenOnce) {
  DiskChoices choices(1000);
  std::set<std::size_t> taken;
  std::size_t count = 0;
  do {
    const std::size_t first = choices.choose(3);
    const std::size_t second = first == 1 ? choices.choose(4) : 0;
    taken.insert(first * 10 + second);
    ++count;
  } while (choices.next());
  EXPECT_EQ(count, 6U);
  EXPECT_EQ(taken.size(), 6U);
}

TEST(DiskChoices, EndWhereTheyAreTooMany) {
  DiskChoices choices(50);
  std::size_t count = 0;
  do {
    for (int i = 0; i < 20; ++i) choices.choose(2);
    ++count;
  } while (choices.next());
  EXPECT_EQ(count, 50U);
}

}  // namespace
}  // namespace perdure::simulate
