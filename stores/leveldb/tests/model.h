#ifndef PERDURE_STORES_LEVELDB_TESTS_MODEL_H
#define PERDURE_STORES_LEVELDB_TESTS_MODEL_H

#include <gtest/gtest.h>
#include <leveldb/comparator.h>
#include <leveldb/db.h>
#include <leveldb/write_batch.h>

#include <cstdlib>
#include <filesystem>
#include <map>
#include <memory>
#include <random>
#include <string>
#include <vector>

#include "database.h"
#include "folder.h"

namespace perdure::stores::tests {

/// A folder of a test's own, gone at its end.
class Folder {
 public:
  Folder() {
    std::string pattern = std::filesystem::temp_directory_path() / "perdure_leveldb_XXXXXX";
    if (mkdtemp(pattern.data()) == nullptr) std::abort();
    path_ = pattern;
  }
  Folder(const Folder&) = delete;
  Folder& operator=(const Folder&) = delete;
  ~Folder() { std::filesystem::remove_all(path_); }
  std::string database() const { return path_ / "database"; }

 private:
  std::filesystem::path path_;
};

inline std::unique_ptr<leveldb::DB> open_database(const std::string& name, leveldb::Options options = {}) {
  options.create_if_missing = true;
  leveldb::DB* opened = nullptr;
  const leveldb::Status status = open(options, name, &opened);
  EXPECT_TRUE(status.ok()) << status.ToString();
  return std::unique_ptr<leveldb::DB>(opened);
}

/// Keys are ordered as a comparator says.
struct Less {
  const leveldb::Comparator* comparator = leveldb::BytewiseComparator();
  bool operator()(const std::string& left, const std::string& right) const {
    return comparator->Compare(left, right) < 0;
  }
};
using Map = std::map<std::string, std::string, Less>;

/// The largest keys first, and a name of its own.
class Backwards final : public leveldb::Comparator {
 public:
  int Compare(const leveldb::Slice& left, const leveldb::Slice& right) const override { return right.compare(left); }
  const char* Name() const override { return "perdure.test.Backwards"; }
  void FindShortestSeparator(std::string* /*start*/, const leveldb::Slice& /*limit*/) const override {}
  void FindShortSuccessor(std::string* /*key*/) const override {}
};

/// An iterator, and what it must show: the map of the moment at which it was made.
class CheckedIterator {
 public:
  CheckedIterator(leveldb::Iterator* iterator, Map map)
      : iterator_(iterator), map_(std::make_unique<Map>(std::move(map))), at_(map_->end()) {}

  void step(std::mt19937& random, const std::string& key) {
    const Map& map = *map_;
    const unsigned what = random() % 10;
    if (what == 0) {
      iterator_->SeekToFirst();
      at_ = map.begin();
    } else if (what == 1) {
      iterator_->SeekToLast();
      at_ = map.empty() ? map.end() : std::prev(map.end());
    } else if (what < 4) {
      iterator_->Seek(key);
      at_ = map.lower_bound(key);
    } else if (at_ != map.end() && what < 7) {
      iterator_->Next();
      ++at_;
    } else if (at_ != map.end()) {
      iterator_->Prev();
      at_ = at_ == map.begin() ? map.end() : std::prev(at_);
    }
    check();
  }

 private:
  void check() const {
    ASSERT_TRUE(iterator_->status().ok());
    ASSERT_EQ(iterator_->Valid(), at_ != map_->end());
    if (at_ == map_->end()) return;
    ASSERT_EQ(iterator_->key().ToString(), at_->first);
    ASSERT_EQ(iterator_->value().ToString(), at_->second);
  }

  std::unique_ptr<leveldb::Iterator> iterator_;
  std::unique_ptr<Map> map_;  // where it stays, since there is an iterator into it
  Map::const_iterator at_;
};

}  // namespace perdure::stores::tests

#endif
