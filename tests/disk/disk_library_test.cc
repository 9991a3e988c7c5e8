// Libraries whose commits are no records cannot keep a pool on a disk, and say which can.
#include <gtest/gtest.h>
#include <unistd.h>

#include <string>

#include "folder.h"
#include "perdure/error.h"
#include "perdure/pool.h"

namespace perdure::disk {
namespace {

TEST(LibraryWithoutRecords, NamesThoseThatCan) {
  const Folder folder;
  OpenOptions options;
  options.durability = Durability::power;
  try {
    Pool::open(folder / "pool", options);
    FAIL() << "opened";
  } catch (const PoolError& error) {
    EXPECT_NE(std::string(error.what()).find("orec_lazy_fast"), std::string::npos) << error.what();
  }
  EXPECT_FALSE(std::filesystem::exists(folder / "pool"));
  options.durability = Durability::process;
  EXPECT_EQ(Pool::open(folder / "pool", options).report().medium, Medium::page_cache);
}

TEST(Memory, SurvivesKillsOnly) {
  OpenOptions options;
  options.durability = Durability::power;
  options.accept_volatile = true;
  const std::filesystem::path path = "/dev/shm/disk_library_test." + std::to_string(getpid());
  EXPECT_EQ(Pool::open(path, options).report().medium, Medium::page_cache);
  std::filesystem::remove(path);
}

}  // namespace
}  // namespace perdure::disk
