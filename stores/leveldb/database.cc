#include "database.h"

#include <charconv>
#include <filesystem>
#include <vector>

#include <leveldb/write_batch.h>

#include "perdure/statistics.h"
#include "range_size.h"
#include "status.h"
#include "store_iterator.h"

namespace perdure::stores {
namespace {

/// LevelDB's own says nothing about power failures without `sync`.
Acknowledgement acknowledgement_of(const leveldb::WriteOptions& options) {
  return options.sync ? Acknowledgement::sync : Acknowledgement::relaxed;
}

/// What the process has done for all its stores: a name and a number a line. (perdure/statistics.h)
std::string counts() {
  const Statistics done = statistics();
  return "commits " + std::to_string(done.commits) + "\nflushes " + std::to_string(done.flushes) + "\nfences " +
         std::to_string(done.fences) + "\nlog_bytes " + std::to_string(done.log_bytes) + "\n";
}

class BatchReader final : public leveldb::WriteBatch::Handler {
 public:
  void Put(const leveldb::Slice& key, const leveldb::Slice& value) override {
    changes.push_back({Kind::value, view(key), view(value)});
  }
  void Delete(const leveldb::Slice& key) override { changes.push_back({Kind::deletion, view(key), {}}); }

  std::vector<Change> changes;
};

constexpr int levels = 7;  // that LevelDB has

/// "num-files-at-level<N>": LevelDB knows seven of them. \returns whether this is one.
bool is_level(std::string_view text) {
  int level = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), level);
  return error == std::errc() && end == text.data() + text.size() && level >= 0 && level < levels;
}

int compare_by(const void* context, std::string_view left, std::string_view right) {
  return static_cast<const leveldb::Comparator*>(context)->Compare(slice(left), slice(right));
}

}  // namespace

KeyOrder order_of(const leveldb::Comparator& comparator) {
  if (&comparator == leveldb::BytewiseComparator()) return {};
  return {false, &compare_by, &comparator};
}

Database::Database(std::string name, const leveldb::Options& options, OpenFolder folder)
    : name_(std::move(name)),
      options_(options),
      folder_(std::move(folder)),
      store_(folder_.store.get()),
      is_open_(*store_) {}

Database::~Database() = default;

leveldb::Status Database::write(const leveldb::WriteOptions& options, std::span<const Change> changes) {
  return status_of(name_, [&] { store_->write(changes, acknowledgement_of(options)); });
}

leveldb::Status Database::Put(const leveldb::WriteOptions& options, const leveldb::Slice& key,
                              const leveldb::Slice& value) {
  const Change change{Kind::value, view(key), view(value)};
  return write(options, {&change, 1});
}

leveldb::Status Database::Delete(const leveldb::WriteOptions& options, const leveldb::Slice& key) {
  const Change change{Kind::deletion, view(key), {}};
  return write(options, {&change, 1});
}

leveldb::Status Database::Write(const leveldb::WriteOptions& options, leveldb::WriteBatch* updates) {
  if (updates == nullptr) return leveldb::Status::OK();  // LevelDB's way to ask for room in its memory
  BatchReader batch;
  leveldb::Status status = updates->Iterate(&batch);
  if (!status.ok() || batch.changes.empty()) return status;
  return write(options, batch.changes);
}

leveldb::Status Database::Get(const leveldb::ReadOptions& options, const leveldb::Slice& key, std::string* value) {
  const Stamp at = options.snapshot == nullptr ? latest : static_cast<const Moment*>(options.snapshot)->stamp();
  bool is_there = false;
  const leveldb::Status status = status_of(name_, [&] { is_there = store_->read(view(key), at, *value); });
  return status.ok() && !is_there ? leveldb::Status::NotFound(leveldb::Slice()) : status;
}

leveldb::Iterator* Database::NewIterator(const leveldb::ReadOptions& options) {
  leveldb::Iterator* made = nullptr;
  const leveldb::Status status = status_of(name_, [&] {
    made = options.snapshot == nullptr
               ? new StoreIterator(*store_, name_)
               : new StoreIterator(*store_, name_, static_cast<const Moment*>(options.snapshot)->stamp());
  });
  return status.ok() ? made : leveldb::NewErrorIterator(status);
}

/// Null, which stands for now, when the disk has failed: LevelDB's programs expect no error here, and find it when they
/// read.
const leveldb::Snapshot* Database::GetSnapshot() {
  const Moment* made = nullptr;
  status_of(name_, [&] { made = new Moment(store_->begin_reading()); });
  return made;
}

void Database::ReleaseSnapshot(const leveldb::Snapshot* snapshot) {
  if (snapshot == nullptr) return;
  const std::unique_ptr<const Moment> moment(static_cast<const Moment*>(snapshot));
  status_of(name_, [&] { store_->end_reading(moment->stamp()); });
}

bool Database::GetProperty(const leveldb::Slice& property, std::string* value) {
  value->clear();
  std::string_view name = view(property);
  if (name == "perdure.statistics") {
    *value = counts();
    return true;
  }
  constexpr std::string_view prefix = "leveldb.", level = "num-files-at-level";
  if (!name.starts_with(prefix)) return false;
  name.remove_prefix(prefix.size());
  if (name.starts_with(level)) {
    if (!is_level(name.substr(level.size()))) return false;
    *value = name.ends_with("level0") ? "1" : "0";
  } else if (name == "stats") {
    *value = stats();
  } else if (name == "sstables") {
    *value = "--- one pool ---\n " + store_->file().string() + "\n";
  } else if (name == "approximate-memory-usage") {
    *value = std::to_string(std::filesystem::file_size(store_->file()));
  } else {
    return false;
  }
  return true;
}

std::string Database::stats() {
  return "Perdure: " + store_->file().string() +
         "\nbytes of the file: " + std::to_string(std::filesystem::file_size(store_->file())) +
         "\nsnapshots and iterators: " + std::to_string(store_->readers()) +
         "\nold versions kept for them: " + std::to_string(store_->kept_versions()) + "\n";
}

void Database::GetApproximateSizes(const leveldb::Range* ranges, int count, std::uint64_t* sizes) {
  for (int i = 0; i < count; ++i) {
    sizes[i] = 0;
    status_of(name_, [&] { sizes[i] = range_size(*store_, view(ranges[i].start), view(ranges[i].limit)); });
  }
}

/// There are no levels. What a caller may rely on is that everything written is where it stays.
void Database::CompactRange(const leveldb::Slice* /*begin*/, const leveldb::Slice* /*end*/) {
  status_of(name_, [&] { store_->sync(); });
}

}  // namespace perdure::stores
