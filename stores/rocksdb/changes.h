#ifndef PERDURE_STORES_ROCKSDB_CHANGES_H
#define PERDURE_STORES_ROCKSDB_CHANGES_H

#include <deque>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "batch.h"
#include "database.h"
#include "range.h"

namespace perdure::stores::rocksdb {

/// What the records of a batch change in the store: a range becomes the deletions of the keys that are there. To be
/// written with the lock `writing`, alone if there are ranges.
class Changes {
 public:
  /// \param ignores_missing  leaves out what is for families that are not there.
  Changes(rocksdb_t& database, bool ignores_missing) : database_(database), ignores_missing_(ignores_missing) {}

  leveldb::Status add(const Record& record);
  std::span<const Change> all() const { return changes_; }

 private:
  leveldb::Status add_range(const FamilyPrefix& prefix, const Record& record);
  std::string_view keep(std::string key) { return keys_.emplace_back(std::move(key)); }

  rocksdb_t& database_;
  bool ignores_missing_;
  std::deque<std::string> keys_;
  std::vector<Change> changes_;
  std::optional<Reading> reading_;  // the keys of ranges lie in the store
};

/// Whether a batch has ranges in it.
bool has_ranges(const Batch& batch);

/// All of a batch, or nothing.
leveldb::Status write(rocksdb_t& database, const rocksdb_writeoptions_t* options, const Batch& batch);

}  // namespace perdure::stores::rocksdb

#endif
