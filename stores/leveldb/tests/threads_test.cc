// Writers, readers of now, of snapshots and by iterators at once: a batch is seen whole or not at all, a snapshot
// stays.
#include <gtest/gtest.h>

#include <atomic>
#include <thread>

#include "model.h"

namespace perdure::stores::tests {
namespace {

constexpr unsigned writers = 3;
constexpr unsigned keys = 20;         // of a writer, all with the same value
constexpr unsigned many_keys = 5000;  // of the last writer: more than a transaction takes
constexpr unsigned rounds = 400;

std::string key_of(unsigned writer, unsigned number) {
  std::string text = std::to_string(number);
  return std::string(1, static_cast<char>('a' + writer)) + std::string(6 - text.size(), '0') + text;
}

void write_round(leveldb::DB& database, unsigned writer, unsigned count, unsigned round) {
  leveldb::WriteBatch batch;
  for (unsigned i = 0; i < count; ++i) batch.Put(key_of(writer, i), std::to_string(round));
  ASSERT_TRUE(database.Write({}, &batch).ok());
}

/// Writers' keys, between which nobody shall see a difference; and one that comes and goes.
void write(leveldb::DB& database, unsigned writer) {
  const bool is_large = writer + 1 == writers;
  for (unsigned round = 1; round <= (is_large ? rounds / 20 : rounds); ++round) {
    write_round(database, writer, is_large ? many_keys : keys, round);
    const std::string guest = key_of(writer, keys) + "guest";
    ASSERT_TRUE(round % 2 == 0 ? database.Delete({}, guest).ok() : database.Put({}, guest, "g").ok());
  }
}

/// What a moment shows, as one text; and whether it shows each writer's keys alike.
std::string look(leveldb::DB& database, const leveldb::Snapshot* snapshot) {
  leveldb::ReadOptions options;
  options.snapshot = snapshot;
  const std::unique_ptr<leveldb::Iterator> all(database.NewIterator(options));
  std::map<char, std::string> values;
  std::string seen;
  for (all->SeekToFirst(); all->Valid(); all->Next()) {
    const std::string key = all->key().ToString(), value = all->value().ToString();
    seen += key + value;
    if (value == "g") continue;
    const auto [first, is_new] = values.emplace(key[0], value);
    EXPECT_EQ(first->second, value) << key;
  }
  return seen;
}

void read(leveldb::DB& database, const std::atomic<bool>& ends) {
  while (!ends && !testing::Test::HasFailure()) {
    const leveldb::Snapshot* const snapshot = database.GetSnapshot();
    const std::string first = look(database, snapshot);
    look(database, nullptr);
    std::string value, again;
    leveldb::ReadOptions options;
    options.snapshot = snapshot;
    if (database.Get(options, key_of(0, 0), &value).ok()) {
      EXPECT_TRUE(database.Get(options, key_of(0, keys - 1), &again).ok());
      EXPECT_EQ(value, again);
    }
    EXPECT_EQ(first, look(database, snapshot));
    database.ReleaseSnapshot(snapshot);
  }
}

TEST(Threads, SeeBatchesWhole) {
  const Folder folder;
  const auto database = open_database(folder.database());
  std::atomic<bool> ends{false};
  std::vector<std::thread> readers, writing;
  for (unsigned i = 0; i < 2; ++i) readers.emplace_back([&] { read(*database, ends); });
  for (unsigned i = 0; i < writers; ++i) writing.emplace_back([&, i] { write(*database, i); });
  for (auto& thread : writing) thread.join();
  ends = true;
  for (auto& thread : readers) thread.join();
  std::string stats;
  ASSERT_TRUE(database->GetProperty("leveldb.stats", &stats));
  EXPECT_NE(stats.find("kept for them: 0\n"), std::string::npos) << stats;
}

}  // namespace
}  // namespace perdure::stores::tests
