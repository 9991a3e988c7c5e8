#include "commands.h"

#include <leveldb/db.h>
#include <leveldb/write_batch.h>

#include <cstdio>
#include <filesystem>
#include <memory>
#include <stdexcept>

#include "folder.h"

namespace perdure::stores::tool {
namespace {

namespace fs = std::filesystem;
using Arguments = std::span<const std::string>;
using Open = leveldb::Status (*)(const leveldb::Options&, const std::string&, leveldb::DB**);

void check(const leveldb::Status& status) {
  if (!status.ok()) throw std::runtime_error(status.ToString());
}

std::unique_ptr<leveldb::DB> open_by(Open open, const std::string& folder, leveldb::Options options = {}) {
  if (!options.create_if_missing && !fs::is_directory(folder)) throw std::runtime_error(folder + ": no such folder");
  leveldb::DB* opened = nullptr;
  check(open(options, folder, &opened));
  return std::unique_ptr<leveldb::DB>(opened);
}

std::unique_ptr<leveldb::DB> open_ours(const std::string& folder) { return open_by(&stores::open, folder); }

/// Text as it is; other bytes, and the backslash, as \xhh.
void print(const leveldb::Slice& text) {
  for (std::size_t i = 0; i < text.size(); ++i) {
    const auto byte = static_cast<unsigned char>(text[i]);
    if (byte >= 0x20 && byte < 0x7f && byte != '\\')
      std::putchar(byte);
    else
      std::printf("\\x%02x", byte);
  }
}

void print_statistics(Arguments arguments) {
  const auto database = open_ours(arguments[0]);
  const std::unique_ptr<leveldb::Iterator> all(database->NewIterator({}));
  std::uint64_t entries = 0, bytes = 0;
  for (all->SeekToFirst(); all->Valid(); all->Next()) {
    ++entries;
    bytes += all->key().size() + all->value().size();
  }
  check(all->status());
  std::string stats;
  database->GetProperty("leveldb.stats", &stats);
  std::printf("%sentries: %llu\nbytes of keys and values: %llu\n", stats.c_str(),
              static_cast<unsigned long long>(entries), static_cast<unsigned long long>(bytes));
}

void create(Arguments arguments) {
  leveldb::Options options;
  options.create_if_missing = options.error_if_exists = true;
  open_by(&stores::open, arguments[0], options);
}

void get(Arguments arguments) {
  std::string value;
  check(open_ours(arguments[0])->Get({}, arguments[1], &value));
  std::fwrite(value.data(), 1, value.size(), stdout);
  std::putchar('\n');
}

void put(Arguments arguments) {
  leveldb::WriteOptions options;
  options.sync = true;
  check(open_ours(arguments[0])->Put(options, arguments[1], arguments[2]));
}

void scan(Arguments arguments) {
  const auto database = open_ours(arguments[0]);
  const std::unique_ptr<leveldb::Iterator> all(database->NewIterator({}));
  if (arguments.size() > 1)
    all->Seek(arguments[1]);
  else
    all->SeekToFirst();
  for (; all->Valid() && (arguments.size() < 3 || all->key().compare(arguments[2]) < 0); all->Next()) {
    print(all->key());
    std::putchar('\t');
    print(all->value());
    std::putchar('\n');
  }
  check(all->status());
}

void copy_entries(leveldb::DB& from, leveldb::DB& to) {
  constexpr std::size_t most_bytes = 1U << 20U;
  leveldb::ReadOptions reading;
  reading.verify_checksums = true;
  reading.fill_cache = false;
  const std::unique_ptr<leveldb::Iterator> all(from.NewIterator(reading));
  leveldb::WriteBatch batch;
  std::uint64_t entries = 0;
  for (all->SeekToFirst(); all->Valid(); all->Next(), ++entries) {
    batch.Put(all->key(), all->value());
    if (batch.ApproximateSize() < most_bytes) continue;
    check(to.Write({}, &batch));
    batch.Clear();
  }
  check(all->status());
  leveldb::WriteOptions last;
  last.sync = true;
  check(to.Write(last, &batch));
  std::printf("%llu entries\n", static_cast<unsigned long long>(entries));
}

/// Under another name, until it is whole.
void convert(const std::string& from, Open open_from, const std::string& to, Open open_to) {
  if (fs::exists(to)) throw std::runtime_error(to + ": exists; name a new folder");
  const std::string partial = to + ".partial";
  fs::remove_all(partial);
  {
    const auto source = open_by(open_from, from);
    leveldb::Options options;
    options.create_if_missing = options.error_if_exists = true;
    const auto target = open_by(open_to, partial, options);
    copy_entries(*source, *target);
  }
  fs::rename(partial, to);
}

void import_folder(Arguments arguments) { convert(arguments[0], &leveldb::DB::Open, arguments[1], &stores::open); }
void export_folder(Arguments arguments) { convert(arguments[0], &stores::open, arguments[1], &leveldb::DB::Open); }

void verify(Arguments arguments) {
  leveldb::Options options;
  options.paranoid_checks = true;
  open_by(&stores::open, arguments[0], options);
  std::puts("whole");
}

constexpr Command all_commands[] = {
    {"stat", "<folder>", "counts entries and bytes", 1, 1, &print_statistics},
    {"create", "<new folder>", "makes an empty database", 1, 1, &create},
    {"get", "<folder> <key>", "prints a value", 2, 2, &get},
    {"put", "<folder> <key> <value>", "sets a value", 3, 3, &put},
    {"scan", "<folder> [<from> [<to>]]", "prints keys and values, a line each; <to> is not included", 1, 3, &scan},
    {"import", "<LevelDB's folder> <new folder>", "copies a database of LevelDB's", 2, 2, &import_folder},
    {"export", "<folder> <new folder>", "makes a database of LevelDB's", 2, 2, &export_folder},
    {"verify", "<folder>", "looks whether the index is whole", 1, 1, &verify},
};

}  // namespace

std::span<const Command> commands() { return all_commands; }

}  // namespace perdure::stores::tool
