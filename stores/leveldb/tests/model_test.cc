// Random operations, batches, snapshots and iterators, against maps that are copied.
#include <gtest/gtest.h>

#include "model.h"

namespace perdure::stores::tests {
namespace {

constexpr std::size_t most_readers = 4;

/// A database beside the map that it must be.
class Model {
 public:
  Model(unsigned seed, const leveldb::Comparator& comparator, std::string prefix)
      : random_(seed), prefix_(std::move(prefix)), map_(Less{&comparator}) {
    options_.comparator = &comparator;
    open();
  }
  ~Model() { release(); }

  void step() {
    const unsigned what = random_() % 100;
    if (what < 35) return put();
    if (what < 55) return erase();
    if (what < 58) return write(random_() % 40);
    if (what < 75) return get();
    if (what < 80) return snapshot();
    if (what < 84) return iterator();
    if (iterators_.empty()) return;
    iterators_[random_() % iterators_.size()].step(random_, key());
  }

  /// A batch that takes several transactions.
  void write_large() { write(10000); }

  void reopen() {
    release();
    database_.reset();
    open();
  }

  void check_all() {
    const std::unique_ptr<leveldb::Iterator> all(database_->NewIterator({}));
    all->SeekToFirst();
    for (const auto& [key, value] : map_) {
      ASSERT_TRUE(all->Valid());
      ASSERT_EQ(all->key().ToString(), key);
      ASSERT_EQ(all->value().ToString(), value);
      all->Next();
    }
    ASSERT_FALSE(all->Valid());
  }

  /// No readers, so nothing old is kept, and the index is whole.
  void release() {
    iterators_.clear();
    for (const auto& [snapshot, map] : snapshots_) database_->ReleaseSnapshot(snapshot);
    snapshots_.clear();
    if (database_ == nullptr) return;
    std::string stats;
    ASSERT_TRUE(database_->GetProperty("leveldb.stats", &stats));
    ASSERT_NE(stats.find("kept for them: 0\n"), std::string::npos) << stats;
    ASSERT_NE(stats.find("iterators: 0\n"), std::string::npos) << stats;
  }

 private:
  void open() {
    options_.paranoid_checks = true;
    database_ = open_database(folder_.database(), options_);
  }

  std::string key() {
    const auto number = std::to_string(random_() % 600);
    return random_() % 50 == 0 ? number.substr(0, 1) + std::string(1, '\0') : prefix_ + number;
  }
  std::string value() { return std::string(random_() % 60, static_cast<char>('a' + random_() % 26)); }

  void put() {
    const std::string key = this->key();
    const std::string value = random_() % 200 == 0 ? std::string(100'000, 'v') : this->value();
    ASSERT_TRUE(database_->Put({}, key, value).ok());
    map_[key] = value;
  }

  void erase() {
    const std::string key = this->key();
    ASSERT_TRUE(database_->Delete({}, key).ok());
    map_.erase(key);
  }

  void write(unsigned count) {
    leveldb::WriteBatch batch;
    for (unsigned i = 0; i < count; ++i) {
      const std::string key = this->key(), value = this->value();
      if (random_() % 3 == 0) {
        batch.Delete(key);
        map_.erase(key);
      } else {
        batch.Put(key, value);
        map_[key] = value;
      }
    }
    ASSERT_TRUE(database_->Write({}, &batch).ok());
  }

  void get() {
    const bool is_now = snapshots_.empty() || random_() % 2 == 0;
    const std::size_t which = is_now ? 0 : random_() % snapshots_.size();
    const Map& map = is_now ? map_ : snapshots_[which].second;
    leveldb::ReadOptions options;
    if (!is_now) options.snapshot = snapshots_[which].first;
    const std::string key = this->key();
    std::string value = "as it was";
    const leveldb::Status status = database_->Get(options, key, &value);
    const auto found = map.find(key);
    ASSERT_EQ(status.IsNotFound(), found == map.end());
    ASSERT_EQ(value, found == map.end() ? "as it was" : found->second);
  }

  void snapshot() {
    if (snapshots_.size() < most_readers) return void(snapshots_.emplace_back(database_->GetSnapshot(), map_));
    const auto gone = snapshots_.begin() + static_cast<std::ptrdiff_t>(random_() % snapshots_.size());
    database_->ReleaseSnapshot(gone->first);
    snapshots_.erase(gone);
  }

  void iterator() {
    if (iterators_.size() == most_readers)
      iterators_.erase(iterators_.begin() + static_cast<std::ptrdiff_t>(random_() % iterators_.size()));
    if (snapshots_.empty() || random_() % 2 == 0)
      return void(iterators_.emplace_back(database_->NewIterator({}), map_));
    const auto& [snapshot, map] = snapshots_[random_() % snapshots_.size()];
    leveldb::ReadOptions options;
    options.snapshot = snapshot;
    iterators_.emplace_back(database_->NewIterator(options), map);
  }

  std::mt19937 random_;
  std::string prefix_;
  Folder folder_;
  leveldb::Options options_;
  std::unique_ptr<leveldb::DB> database_;
  Map map_;
  std::vector<std::pair<const leveldb::Snapshot*, Map>> snapshots_;
  std::vector<CheckedIterator> iterators_;
};

void run(unsigned seed, const leveldb::Comparator& comparator, const std::string& prefix) {
  Model model(seed, comparator, prefix);
  for (unsigned round = 0; round < 4; ++round) {
    for (unsigned i = 0; i < 2000 && !testing::Test::HasFatalFailure(); ++i) model.step();
    if (round % 2 == 1) model.write_large();
    model.check_all();
    model.reopen();
    model.check_all();
    if (testing::Test::HasFatalFailure()) FAIL() << "seed " << seed;
  }
}

TEST(Model, IsAMap) {
  for (unsigned seed = 1; seed <= 4 && !HasFatalFailure(); ++seed) run(seed, *leveldb::BytewiseComparator(), "");
}

TEST(Model, IsAMapOfKeysThatBeginAlike) { run(1, *leveldb::BytewiseComparator(), "users/0000000000000000000000/"); }

TEST(Model, IsAMapInAnotherOrder) {
  const Backwards backwards;
  for (unsigned seed = 1; seed <= 2 && !HasFatalFailure(); ++seed) run(seed, backwards, "key ");
}

}  // namespace
}  // namespace perdure::stores::tests
