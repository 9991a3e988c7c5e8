// Pools on a network file system: here all are said to lie on one.
#include <gtest/gtest.h>
#include <linux/magic.h>
#include <sys/syscall.h>
#include <sys/vfs.h>
#include <unistd.h>

#include <string>

#include "folder.h"
#include "perdure/error.h"
#include "perdure/pool.h"

// NOLINTNEXTLINE(readability-inconsistent-declaration-parameter-name): the library's names are reserved
extern "C" int statfs(const char* path, struct statfs* status) noexcept {
  const auto result = static_cast<int>(syscall(SYS_statfs, path, status));
  if (result == 0) status->f_type = NFS_SUPER_MAGIC;
  return result;
}

namespace perdure::disk {
namespace {

OpenOptions with(Durability durability, bool trusts) {
  OpenOptions options;
  options.durability = durability;
  options.trust_network = trusts;
  return options;
}

TEST(Network, IsRefusedUnlessTrusted) {
  const Folder folder;
  try {
    Pool::open(folder / "pool", with(Durability::power, false));
    FAIL() << "opened";
  } catch (const PoolError& error) {
    EXPECT_EQ(error.kind(), PoolError::Kind::usage);
    EXPECT_NE(std::string(error.what()).find("trust_network"), std::string::npos) << error.what();
  }
  EXPECT_FALSE(std::filesystem::exists(folder / "pool"));
  EXPECT_EQ(Pool::open(folder / "pool", with(Durability::power, true)).report().medium, Medium::disk);
}

TEST(Network, SurvivesKillsOnlyByDefault) {
  const Folder folder;
  for (const bool trusts : {false, true}) {
    const auto pool = Pool::open(folder / "pool", with(Durability::automatic, trusts));
    EXPECT_EQ(pool.report().medium, Medium::page_cache);
  }
}

}  // namespace
}  // namespace perdure::disk
