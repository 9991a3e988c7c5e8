// Checkpoints: a copy of a database as of one moment, while others write.
#include <filesystem>
#include <vector>

#include "open.h"
#include "range.h"

using namespace perdure::stores;
using namespace perdure::stores::rocksdb;

struct rocksdb_checkpoint_t {
  rocksdb_t* database;
};

namespace {

namespace fs = std::filesystem;

/// Copies every key with its prefix, and so the families' records: the same order, whatever the comparators are.
void copy_all(Store& from, Store& to) {
  constexpr std::size_t at_once = 1024;
  const Reading reading(from);
  std::vector<Change> changes;
  const auto write = [&] {
    to.write(changes, perdure::Acknowledgement::relaxed);
    changes.clear();
  };
  const std::string behind_all = bytes_of(~std::uint32_t{0});
  visit_range(from, reading.moment(), {}, behind_all, [&](const Cell* entry) {
    changes.push_back({Kind::value, key_of(entry), value_of(entry)});
    if (changes.size() == at_once) write();
  });
  write();
  to.sync();
}

/// In a folder that counts only when all is there.
leveldb::Status make_checkpoint(rocksdb_t& database, const fs::path& folder) {
  if (fs::exists(folder)) return leveldb::Status::InvalidArgument("Directory exists");
  const fs::path unfinished = folder.string() + ".tmp";
  leveldb::Options options;
  options.create_if_missing = options.error_if_exists = true;
  fs::remove_all(unfinished);
  {
    OpenFolder copy;
    const leveldb::Status status = open_folder(options, unfinished, terms_of(*database.families), copy);
    if (!status.ok()) return status;
    copy_all(database.store(), *copy.store);
  }
  fs::rename(unfinished, folder);
  return leveldb::Status::OK();
}

}  // namespace

extern "C" {

rocksdb_checkpoint_t* rocksdb_checkpoint_object_create(rocksdb_t* database, char** /*errptr*/) {
  return new rocksdb_checkpoint_t{database};
}

void rocksdb_checkpoint_create(rocksdb_checkpoint_t* checkpoint, const char* folder, uint64_t /*log_size*/,
                               char** errptr) {
  leveldb::Status status;
  attempt(checkpoint->database, errptr, [&] { status = make_checkpoint(*checkpoint->database, folder); });
  report(status, errptr);
}

void rocksdb_checkpoint_object_destroy(rocksdb_checkpoint_t* checkpoint) { delete checkpoint; }

}  // extern "C"
