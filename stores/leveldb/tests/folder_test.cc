// What LevelDB's programs see of folders: locks, errors, other comparators, folders that LevelDB wrote.
#include <gtest/gtest.h>
#include <leveldb/env.h>
#include <leveldb/helpers/memenv.h>

#include <fstream>
#include <sstream>

#include "model.h"

namespace perdure::stores::tests {
namespace {

std::string error_of(const std::string& name, const leveldb::Options& options) {
  leveldb::DB* opened = nullptr;
  const leveldb::Status status = open(options, name, &opened);
  EXPECT_EQ(opened == nullptr, !status.ok());
  delete opened;
  return status.ToString();
}

TEST(Folders, AreRefusedAsByLevelDB) {
  const Folder folder;
  const std::string name = folder.database();
  leveldb::Options options;
  EXPECT_EQ(error_of(name, options), "Invalid argument: " + name + ": does not exist (create_if_missing is false)");
  options.create_if_missing = true;
  EXPECT_EQ(error_of(name, options), "OK");
  {
    const auto database = open_database(name);
    EXPECT_EQ(error_of(name, options), "IO error: lock " + name + "/LOCK: already held by process");
  }
  options.error_if_exists = true;
  EXPECT_EQ(error_of(name, options), "Invalid argument: " + name + ": exists (error_if_exists is true)");
}

TEST(Folders, KeepTheNameOfTheirComparator) {
  const Folder folder;
  open_database(folder.database());
  const Backwards backwards;
  leveldb::Options options;
  options.comparator = &backwards;
  EXPECT_EQ(error_of(folder.database(), options),
            "Invalid argument: leveldb.BytewiseComparator does not match existing comparator : perdure.test.Backwards");
}

TEST(Folders, OfLevelDBAreRefusedWithTheCommandThatImportsThem) {
  const Folder folder;
  leveldb::Options options;
  options.create_if_missing = true;
  leveldb::DB* opened = nullptr;
  ASSERT_TRUE(leveldb::DB::Open(options, folder.database(), &opened).ok());
  ASSERT_TRUE(opened->Put({}, "key", "value").ok());
  delete opened;
  EXPECT_NE(error_of(folder.database(), options).find("perdure-leveldb import " + folder.database()),
            std::string::npos);
  // Nothing has happened to it.
  ASSERT_TRUE(leveldb::DB::Open(options, folder.database(), &opened).ok());
  std::string value;
  EXPECT_TRUE(opened->Get({}, "key", &value).ok());
  delete opened;
  EXPECT_TRUE(destroy(folder.database(), options).ok());
  EXPECT_FALSE(std::filesystem::exists(folder.database()));
}

TEST(Folders, AreNotTakenForLevelDBs) {
  const Folder folder;
  open_database(folder.database());
  leveldb::Options options;
  options.create_if_missing = true;
  leveldb::DB* opened = nullptr;
  EXPECT_FALSE(leveldb::DB::Open(options, folder.database(), &opened).ok());
}

TEST(Folders, AreDestroyedButForWhatIsNotTheirs) {
  const Folder folder;
  open_database(folder.database());
  std::ofstream(std::filesystem::path(folder.database()) / "mine") << "text";
  EXPECT_TRUE(destroy(folder.database(), {}).ok());
  EXPECT_TRUE(std::filesystem::exists(std::filesystem::path(folder.database()) / "mine"));
  EXPECT_FALSE(std::filesystem::exists(std::filesystem::path(folder.database()) / "store.pool"));
  EXPECT_TRUE(destroy(folder.database() + "/none", {}).ok());
}

TEST(Folders, AreNotDestroyedWhileTheyAreOpen) {
  const Folder folder;
  const auto database = open_database(folder.database());
  ASSERT_TRUE(database->Put({}, "key", "value").ok());
  EXPECT_FALSE(destroy(folder.database(), {}).ok());
  std::string value;
  EXPECT_TRUE(database->Get({}, "key", &value).ok());
}

TEST(Folders, AreRepaired) {
  const Folder folder;
  ASSERT_TRUE(open_database(folder.database())->Put({}, "key", "value").ok());
  EXPECT_TRUE(repair(folder.database(), {}).ok());
  std::string value;
  EXPECT_TRUE(open_database(folder.database())->Get({}, "key", &value).ok());
}

TEST(Folders, InAnotherEnvAreLeftToLevelDB) {
  const std::unique_ptr<leveldb::Env> memory(leveldb::NewMemEnv(leveldb::Env::Default()));
  leveldb::Options options;
  options.env = memory.get();
  const auto database = open_database("/nowhere", options);
  ASSERT_TRUE(database->Put({}, "key", "value").ok());
  EXPECT_FALSE(std::filesystem::exists("/nowhere"));
}

TEST(Values, OfAHundredMegabytesAreStored) {
  const Folder folder;
  std::string large(100UL << 20U, 'x');
  ASSERT_TRUE(open_database(folder.database())->Put({}, "large", large).ok());
  std::string value;
  ASSERT_TRUE(open_database(folder.database())->Get({}, "large", &value).ok());
  EXPECT_TRUE(value == large);
}

TEST(Properties, AreThoseThatLevelDBHas) {
  const Folder folder;
  const auto database = open_database(folder.database());
  std::string value;
  EXPECT_TRUE(database->GetProperty("leveldb.num-files-at-level0", &value));
  EXPECT_TRUE(database->GetProperty("leveldb.num-files-at-level6", &value));
  EXPECT_FALSE(database->GetProperty("leveldb.num-files-at-level7", &value));
  EXPECT_FALSE(database->GetProperty("leveldb.num-files-at-level", &value));
  EXPECT_TRUE(database->GetProperty("leveldb.sstables", &value));
  EXPECT_TRUE(database->GetProperty("leveldb.approximate-memory-usage", &value));
  EXPECT_FALSE(database->GetProperty("perdure", &value));
}

/// What "perdure.statistics" says of it.
std::uint64_t count_of(leveldb::DB& database, const std::string& wanted) {
  std::string text;
  EXPECT_TRUE(database.GetProperty("perdure.statistics", &text));
  std::istringstream lines(text);
  std::string name;
  for (std::uint64_t value = 0; lines >> name >> value;)
    if (name == wanted) return value;
  ADD_FAILURE() << wanted << " is missing: " << text;
  return 0;
}

TEST(Properties, CountWhatWasDone) {
  const Folder folder;
  const auto database = open_database(folder.database());
  const std::uint64_t commits = count_of(*database, "commits");
  const std::uint64_t flushes = count_of(*database, "flushes");
  const std::uint64_t log_bytes = count_of(*database, "log_bytes");
  for (int i = 0; i < 10; ++i) ASSERT_TRUE(database->Put({}, std::to_string(i), "value").ok());
  EXPECT_GE(count_of(*database, "commits"), commits + 10);
  EXPECT_GE(count_of(*database, "flushes"), flushes + 10);
  EXPECT_GT(count_of(*database, "log_bytes"), log_bytes);
  EXPECT_GT(count_of(*database, "fences"), 0U);
}

TEST(Sizes, AreThoseOfTheRange) {
  const Folder folder;
  const auto database = open_database(folder.database());
  for (char key = 'a'; key <= 'z'; ++key)
    ASSERT_TRUE(database->Put({}, std::string(1, key), std::string(1000, key)).ok());
  const leveldb::Range ranges[] = {{"a", "k"}, {"k", "zz"}, {"zz", "zzz"}};
  std::uint64_t sizes[3] = {};
  database->GetApproximateSizes(ranges, 3, sizes);
  EXPECT_GT(sizes[0], 10'000U);
  EXPECT_LT(sizes[0], 11'000U);
  EXPECT_GT(sizes[1], 16'000U);
  EXPECT_EQ(sizes[2], 0U);
}

}  // namespace
}  // namespace perdure::stores::tests
