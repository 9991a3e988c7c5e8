#ifndef PERDURE_BENCHMARKS_PEERS_STORE_H
#define PERDURE_BENCHMARKS_PEERS_STORE_H

#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <filesystem>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <type_traits>

#include "open_database.h"
#include "structures/key.h"

namespace perdure::benchmarks::keyvalue {

/// The key of a row: the letter of its table, then the row's key, its first byte first, so that rows are in order.
class RowKey {
 public:
  RowKey(char table, Key key) {
    bytes_[0] = table;
    for (std::size_t i = 0; i < sizeof key; ++i) bytes_[i + 1] = static_cast<char>(key >> 8 * (sizeof key - 1 - i));
  }

  const char* data() const { return bytes_.data(); }
  std::size_t size() const { return bytes_.size(); }

 private:
  std::array<char, 1 + sizeof(Key)> bytes_;
};

/// Rows as they lie in memory, as values of a key-value store.
/// \tparam Library  RocksDb or LevelDb; others have specialisations.
template <class Library>
class Store {
 public:
  /// Changes that are made together.
  class Batch {
   public:
    template <class Row>
    void put(const RowKey& key, const Row& row) {
      static_assert(std::is_trivially_copyable_v<Row>);
      batch_.Put(slice(key), {reinterpret_cast<const char*>(&row), sizeof row});
    }
    void erase(const RowKey& key) { batch_.Delete(slice(key)); }
    /// To a number, where the store can do so without reading it.
    void add(const RowKey& key, std::uint64_t more)
      requires requires(typename Library::WriteBatch batch) { batch.Merge({}, {}); }
    {
      batch_.Merge(slice(key), {reinterpret_cast<const char*>(&more), sizeof more});
    }

   private:
    friend class Store;
    typename Library::WriteBatch batch_;
  };

  explicit Store(const std::filesystem::path& path) : database_(open_database<Library>(path)) {
    synchronous_.sync = true;
  }

  /// \returns nothing if there is no such row.
  template <class Row>
  std::optional<Row> get(const RowKey& key) const {
    thread_local std::string value;  // its memory is used again
    const auto status = database_->Get({}, slice(key), &value);
    if (status.IsNotFound()) return std::nullopt;
    require<Library>(status);
    return row_of<Row>(value);
  }

  /// Durable once it returns.
  void commit(Batch& batch) { require<Library>(database_->Write(synchronous_, &batch.batch_)); }

  /// Durable after a later commit.
  void load(Batch& batch) { require<Library>(database_->Write({}, &batch.batch_)); }

  /// Brings what was loaded into the shape in which it is read fastest.
  void settle() { Library::compact(*database_); }

  /// Calls `visit(row)` for every row of a table.
  template <class Row, class Visit>
  void for_each(char table, Visit visit) const {
    const std::unique_ptr<typename Library::Iterator> at(database_->NewIterator({}));
    for (at->Seek({&table, 1}); at->Valid() && at->key()[0] == table; at->Next()) {
      visit(row_of<Row>(at->value()));
    }
    require<Library>(at->status());
  }

 private:
  static typename Library::Slice slice(const RowKey& key) { return {key.data(), key.size()}; }

  template <class Row, class Bytes>
  static Row row_of(const Bytes& value) {
    if (value.size() != sizeof(Row)) throw std::runtime_error(std::string(Library::name) + ": a row has another size");
    Row row;
    std::memcpy(&row, value.data(), sizeof row);
    return row;
  }

  std::unique_ptr<typename Library::Database> database_;
  typename Library::WriteOptions synchronous_;
};

}  // namespace perdure::benchmarks::keyvalue

#endif
