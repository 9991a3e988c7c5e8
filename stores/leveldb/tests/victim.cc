// A program of LevelDB's that knows nothing of Perdure, to be killed (crash_test.py).
//   victim fill <folder>   goes on where it was; each step is one batch: all of its keys get the step's number. Prints
//                          the number when the batch was acknowledged, with `sync`.
//   victim check <folder>  prints the last step, if all keys are of it.
#include <leveldb/db.h>
#include <leveldb/write_batch.h>

#include <cstdio>
#include <cstdlib>
#include <memory>
#include <string>

namespace {

constexpr unsigned few_keys = 12;
constexpr unsigned many_keys = 6000;  // more than one transaction takes
constexpr unsigned between_many = 40;

std::string key_of(const char* kind, unsigned number) { return kind + std::to_string(number); }

[[noreturn]] void fail(const std::string& what) {
  std::fprintf(stderr, "victim: %s\n", what.c_str());
  std::exit(1);
}

unsigned number_in(leveldb::DB& database, const std::string& key) {
  std::string value;
  const leveldb::Status status = database.Get({}, key, &value);
  if (status.IsNotFound()) return 0;
  if (!status.ok()) fail(status.ToString());
  return static_cast<unsigned>(std::strtoul(value.c_str(), nullptr, 10));
}

/// The number that `count` keys have: of all of them the same.
unsigned number_of(leveldb::DB& database, const char* kind, unsigned count) {
  const unsigned first = number_in(database, key_of(kind, 0));
  for (unsigned i = 1; i < count; ++i)
    if (number_in(database, key_of(kind, i)) != first) fail("a batch is there in part, at " + key_of(kind, i));
  return first;
}

unsigned check(leveldb::DB& database) {
  const unsigned few = number_of(database, "few", few_keys);
  const unsigned many = number_of(database, "many", many_keys);
  if (many != few / between_many * between_many) fail("a large batch and a small one do not agree");
  const std::unique_ptr<leveldb::Iterator> all(database.NewIterator({}));
  unsigned entries = 0;
  for (all->SeekToFirst(); all->Valid(); all->Next()) ++entries;
  if (entries != (few == 0 ? 0 : few_keys) + (many == 0 ? 0 : many_keys)) fail("there are entries too many");
  return few;
}

void step(leveldb::DB& database, unsigned number) {
  leveldb::WriteBatch batch;
  const std::string value = std::to_string(number);
  for (unsigned i = 0; i < few_keys; ++i) batch.Put(key_of("few", i), value + std::string(i * 30, ' '));
  if (number % between_many == 0)
    for (unsigned i = 0; i < many_keys; ++i) batch.Put(key_of("many", i), value);
  leveldb::WriteOptions options;
  options.sync = true;
  const leveldb::Status status = database.Write(options, &batch);
  if (!status.ok()) fail(status.ToString());
  std::printf("%u\n", number);
  std::fflush(stdout);
}

void fill(leveldb::DB& database) {
  const unsigned begin = check(database);
  // Readers of the past, so that a crash finds old versions.
  std::unique_ptr<leveldb::Iterator> looking;
  for (unsigned number = begin + 1;; ++number) {
    if (number % 3 == 0) looking.reset(database.NewIterator({}));
    step(database, number);
  }
}

}  // namespace

int main(int count, char** words) {
  if (count != 3) return 2;
  leveldb::Options options;
  options.create_if_missing = true;
  options.paranoid_checks = true;
  leveldb::DB* opened = nullptr;
  const leveldb::Status status = leveldb::DB::Open(options, words[2], &opened);
  if (!status.ok()) fail(status.ToString());
  const std::unique_ptr<leveldb::DB> database(opened);
  if (std::string(words[1]) == "fill") fill(*database);
  std::printf("%u\n", check(*database));
}
