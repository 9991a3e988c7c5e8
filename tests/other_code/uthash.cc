// uthash: a hash table made by macros. Without memory it calls exit.
#include <cstdlib>

#include <uthash.h>

#include "typed_tests.h"

namespace perdure::containers {
namespace {

struct Entry {
  unsigned key;
  long value;
  UT_hash_handle hh;
};

class Table {
 public:
  Seen add(const Step& step) {
    Entry* entry = find(step.small);
    if (entry == nullptr) {
      entry = static_cast<Entry*>(std::calloc(1, sizeof(Entry)));
      entry->key = step.small;
      HASH_ADD_INT(first_, key, entry);
    }
    entry->value += step.number;
    return seen(entry->value) + HASH_COUNT(first_);
  }

  Seen remove(const Step& step) {
    Entry* const entry = find(step.small);
    if (entry == nullptr) return 0;
    HASH_DEL(first_, entry);
    std::free(entry);
    return HASH_COUNT(first_);
  }

  Seen sum() const {
    Seen result = 0;
    for (const Entry* entry = first_; entry != nullptr; entry = static_cast<Entry*>(entry->hh.next))
      result = result * 31 + seen(entry->value) + entry->key;
    return result;
  }

  bool operator==(const Table& other) const { return sum() == other.sum(); }

 private:
  Entry* find(unsigned key) const {
    Entry* entry = nullptr;
    HASH_FIND_INT(first_, &key, entry);
    return entry;
  }

  Entry* first_ = nullptr;
};

struct Uthash {
  using Type = Table;
  static Seen apply(Type& table, const Step& step) {
    if (step.choice % 4 == 0) return table.remove(step);
    return step.choice % 4 == 1 ? table.sum() : table.add(step);
  }
};

INSTANTIATE_TYPED_TEST_SUITE_P(Uthash, Containers, ::testing::Types<Uthash>);

}  // namespace
}  // namespace perdure::containers
