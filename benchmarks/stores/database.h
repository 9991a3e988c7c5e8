#ifndef PERDURE_BENCHMARKS_STORES_DATABASE_H
#define PERDURE_BENCHMARKS_STORES_DATABASE_H

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <map>
#include <memory>
#include <sstream>
#include <stdexcept>
#include <string>
#include <vector>

#include "entries.h"
#include "parameters.h"
#include "peers/keyvalue/open_database.h"

namespace perdure::benchmarks::stores {

/// A store whose entries are checked as they are read.
/// \tparam Library  RocksDb or LevelDb (benchmarks/peers/keyvalue)
template <class Library>
class Database {
 public:
  using Iterator = typename Library::Iterator;
  using Slice = typename Library::Slice;

  Database(const std::filesystem::path& path, const Parameters& parameters)
      : database_(keyvalue::open_database<Library>(path)), value_bytes_(parameters.value_bytes) {
    writing_.sync = parameters.synchronous;
  }

  void put(std::uint64_t number, EntryValue& value, std::uint64_t stamp) {
    require(database_->Put(writing_, EntryKey(number).slice<Slice>(), value.make(number, stamp)));
  }

  /// \returns whether there is such an entry. \param value  only to use its memory again.
  bool get(std::uint64_t number, std::string& value) const {
    const auto status = database_->Get({}, EntryKey(number).slice<Slice>(), &value);
    if (status.IsNotFound()) return false;
    require(status);
    expect_intact(Slice(value), number);
    return true;
  }

  void erase(std::uint64_t number) { require(database_->Delete(writing_, EntryKey(number).slice<Slice>())); }

  std::unique_ptr<Iterator> iterator() const { return std::unique_ptr<Iterator>(database_->NewIterator({})); }

  /// \returns the number of the entry that the iterator is at, which has to be whole.
  std::uint64_t number_at(const Iterator& at) const {
    const auto number = EntryKey::number_of(at.key());
    if (!number) throw std::runtime_error(std::string(Library::name) + ": a key that nobody has put");
    expect_intact(at.value(), *number);
    return *number;
  }

  /// An iterator that is at no entry has come to an end, and not to one that cannot be read.
  void expect_sound(const Iterator& at) const { require(at.status()); }

  /// Puts [begin, end) together, durable after `settle`.
  void load(std::uint64_t begin, std::uint64_t end) {
    EntryValue value(value_bytes_);
    typename Library::WriteBatch batch;
    for (auto number = begin; number < end; ++number) batch.Put(EntryKey(number).slice<Slice>(), value.make(number, 0));
    require(database_->Write({}, &batch));
  }

  /// Of the store, by name, if it counts what it flushes: only ours does.
  std::map<std::string, std::uint64_t> counts() const {
    std::string text;
    database_->GetProperty("perdure.statistics", &text);
    std::map<std::string, std::uint64_t> found;
    std::istringstream lines(text);
    for (std::string name; lines >> name;) lines >> found[name];
    return found;
  }

  /// Brings what was loaded into the shape in which it is read fastest.
  void settle() { Library::compact(*database_); }

 private:
  static void require(const typename Library::Status& status) { keyvalue::require<Library>(status); }

  void expect_intact(const Slice& value, std::uint64_t number) const {
    if (!EntryValue::is_intact(value, number, value_bytes_))
      throw std::runtime_error(std::string(Library::name) + ": a value is not as it was put, of key " +
                               std::to_string(number));
  }

  std::unique_ptr<typename Library::Database> database_;
  typename Library::WriteOptions writing_;
  std::size_t value_bytes_;
};

}  // namespace perdure::benchmarks::stores

#endif
