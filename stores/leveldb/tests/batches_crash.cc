// Batches for perdure-crashtest: of one transaction and of several, with a reader beside and without. Whatever a crash
// leaves, the store holds the steps before some point, whole, and all that were acknowledged; and its index is sound.
#include <map>
#include <string>
#include <vector>

#include <perdure/crashtest.h>
#include <perdure/perdure.h>

#include "store.h"

namespace {

using namespace perdure::stores;
using Content = std::map<std::string, std::string>;

constexpr unsigned steps = 6;
constexpr Portion portion{.changes = 3};

struct Write {
  Kind kind;
  std::string key;
  std::string value;
};

std::string key_of_number(unsigned number) { return "key " + std::to_string(number); }

void add_value(std::vector<Write>& batch, unsigned number, const std::string& value) {
  batch.push_back({Kind::value, key_of_number(number), value});
}

void add_erasure(std::vector<Write>& batch, unsigned number) {
  batch.push_back({Kind::deletion, key_of_number(number), ""});
}

std::vector<Write> batch_of(unsigned step) {
  std::vector<Write> batch;
  switch (step) {
    case 1:  // new keys
      for (unsigned number = 0; number < 3; ++number) add_value(batch, number, "one");
      break;
    case 2:  // one of each kind
      add_erasure(batch, 1);
      add_value(batch, 0, "two");
      add_value(batch, 9, std::string(200, '2'));
      break;
    case 3:  // of three transactions, which add, replace and erase
      for (unsigned number = 2; number < 8; ++number) add_value(batch, number, "three");
      add_erasure(batch, 9);
      add_erasure(batch, 0);
      break;
    case 4:  // beside a reader
      add_value(batch, 2, "four");
      add_erasure(batch, 3);
      break;
    case 5:  // the same, of two transactions
      add_value(batch, 2, "five");
      add_value(batch, 3, "five");
      add_erasure(batch, 4);
      add_value(batch, 5, "five");
      break;
    default:  // a key twice
      add_value(batch, 7, "first");
      add_value(batch, 7, "last");
      break;
  }
  return batch;
}

bool has_reader_beside(unsigned step) { return step == 4 || step == 5; }

Content content_after(unsigned step) {
  Content content;
  for (unsigned done = 1; done <= step; ++done) {
    for (const Write& write : batch_of(done)) {
      if (write.kind == Kind::value)
        content[write.key] = write.value;
      else
        content.erase(write.key);
    }
  }
  return content;
}

void write(Store& store, const std::vector<Write>& batch) {
  std::vector<Change> changes;
  for (const Write& each : batch) changes.push_back({each.kind, each.key, each.value});
  store.write(changes, perdure::Acknowledgement::sync);
}

Content content_of(Store& store) {
  Content content;
  std::string value;
  for (unsigned number = 0; number < 10; ++number)
    if (store.read(key_of_number(number), latest, value)) content[key_of_number(number)] = value;
  return content;
}

Store open_store(const char* path) { return {path, {}, "bytes", {}, Store::Recovery::at_once, portion}; }

}  // namespace

extern "C" int perdure_crash_workload(const char* pool) {
  auto store = open_store(pool);
  for (unsigned step = 1; step <= steps; ++step) {
    const Stamp moment = has_reader_beside(step) ? store.begin_reading() : 0;
    write(store, batch_of(step));
    perdure_crash_acknowledge(step);
    if (has_reader_beside(step)) store.end_reading(moment);
  }
  return content_of(store) == content_after(steps) ? 0 : 1;
}

extern "C" int perdure_crash_check(const char* pool) {
  auto store = open_store(pool);
  if (!store.verify().empty()) return 1;
  const Content found = content_of(store);
  const auto acknowledged = static_cast<unsigned>(perdure_crash_acknowledged());
  const bool is_allowed =
      found == content_after(acknowledged) || (acknowledged < steps && found == content_after(acknowledged + 1));
  return is_allowed ? 0 : 2;
}
