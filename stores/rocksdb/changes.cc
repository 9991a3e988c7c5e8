#include "changes.h"

#include <mutex>

namespace perdure::stores::rocksdb {

leveldb::Status Changes::add(const Record& record) {
  if (record.operation == Operation::log_data) return leveldb::Status::OK();
  if (!database_.families->is_there(record.family)) {
    if (ignores_missing_) return leveldb::Status::OK();
    return leveldb::Status::InvalidArgument("Invalid column family specified in write batch");
  }
  const FamilyPrefix prefix = database_.families->all()[record.family].prefix(record.family);
  switch (record.operation) {
    case Operation::merge:
      return leveldb::Status::NotSupported("Perdure's store does not merge");
    case Operation::range:
      return add_range(prefix, record);
    case Operation::value:
      changes_.push_back({Kind::value, keep(prefix.key(record.key)), record.value});
      return leveldb::Status::OK();
    default:
      changes_.push_back({Kind::deletion, keep(prefix.key(record.key)), {}});
      return leveldb::Status::OK();
  }
}

leveldb::Status Changes::add_range(const FamilyPrefix& prefix, const Record& record) {
  const KeyOrder& order = database_.store().order();
  const std::string_view begin = keep(prefix.key(record.key)), end = keep(prefix.key(record.value));
  if (order.compare_keys(begin, end) > 0) return leveldb::Status::InvalidArgument("end key comes before start key");
  const auto is_within = [&](std::string_view key) {
    return order.compare_keys(begin, key) <= 0 && order.compare_keys(key, end) < 0;
  };
  // What the batch has written before is in the range, too.
  for (std::size_t i = 0, count = changes_.size(); i < count; ++i)
    if (changes_[i].kind == Kind::value && is_within(changes_[i].key))
      changes_.push_back({Kind::deletion, changes_[i].key, {}});
  return status_of(database_.name, [&] {
    if (!reading_) reading_.emplace(database_.store());
    visit_range(database_.store(), reading_->moment(), begin, end,
                [&](const Cell* entry) { changes_.push_back({Kind::deletion, key_of(entry), {}}); });
  });
}

bool has_ranges(const Batch& batch) {
  bool found = false;
  batch.visit([&](const Record& record) {
    found = record.operation == Operation::range;
    return !found;
  });
  return found;
}

leveldb::Status write(rocksdb_t& database, const rocksdb_writeoptions_t* options, const Batch& batch) {
  std::shared_lock with_others(database.writing, std::defer_lock);
  std::unique_lock alone(database.writing, std::defer_lock);
  if (has_ranges(batch))
    alone.lock();
  else
    with_others.lock();
  Changes changes(database, settings(options).has("ignore_missing_column_families"));
  leveldb::Status status;
  const bool is_whole = batch.visit([&](const Record& record) {
    status = changes.add(record);
    return status.ok();
  });
  if (!is_whole) return leveldb::Status::Corruption("bad WriteBatch");
  if (!status.ok() || changes.all().empty()) return status;
  return status_of(database.name, [&] { database.store().write(changes.all(), acknowledgement_in(options)); });
}

}  // namespace perdure::stores::rocksdb
