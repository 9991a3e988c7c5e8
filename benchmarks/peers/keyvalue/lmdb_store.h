#ifndef PERDURE_BENCHMARKS_PEERS_LMDB_STORE_H
#define PERDURE_BENCHMARKS_PEERS_LMDB_STORE_H

#include <lmdb.h>

#include <cstring>
#include <filesystem>
#include <optional>
#include <stdexcept>
#include <string>

#include "changes.h"

namespace perdure::benchmarks::keyvalue {

struct Lmdb {
  static constexpr const char* name = "LMDB";
};

/// Rows in LMDB: one B+ tree, with its settings as they are, so that each commit is synchronised.
template <>
class Store<Lmdb> {
 public:
  using Batch = Changes;

  explicit Store(const std::filesystem::path& path) {
    constexpr std::size_t most_bytes = std::size_t{16} << 30;
    constexpr unsigned most_readers = 1024;
    std::filesystem::create_directories(path);
    require(mdb_env_create(&environment_));
    require(mdb_env_set_mapsize(environment_, most_bytes));
    require(mdb_env_set_maxreaders(environment_, most_readers));
    require(mdb_env_open(environment_, path.c_str(), 0, 0644));
    MDB_txn* transaction = nullptr;
    require(mdb_txn_begin(environment_, nullptr, 0, &transaction));
    require(mdb_dbi_open(transaction, nullptr, 0, &rows_));
    require(mdb_txn_commit(transaction));
  }
  Store(const Store&) = delete;
  Store& operator=(const Store&) = delete;
  ~Store() { mdb_env_close(environment_); }

  template <class Row>
  std::optional<Row> get(const RowKey& key) const {
    const Reading reading(*this);
    MDB_val name = value_of(key.data(), key.size());
    MDB_val found{};
    const int result = mdb_get(reading.transaction, rows_, &name, &found);
    if (result == MDB_NOTFOUND) return std::nullopt;
    require(result);
    return row_of<Row>(found);
  }

  void commit(const Batch& batch) {
    MDB_txn* transaction = nullptr;
    require(mdb_txn_begin(environment_, nullptr, 0, &transaction));
    for (const Change& change : batch.all()) {
      MDB_val key = value_of(change.key.data(), change.key.size());
      MDB_val row = value_of(change.row.data(), change.row.size());
      if (change.erases)
        require(mdb_del(transaction, rows_, &key, nullptr));
      else
        require(mdb_put(transaction, rows_, &key, &row, 0));
    }
    require(mdb_txn_commit(transaction));
  }
  void load(const Batch& batch) { commit(batch); }
  void settle() {}

  template <class Row, class Visit>
  void for_each(char table, Visit visit) const {
    const Reading reading(*this);
    MDB_cursor* cursor = nullptr;
    require(mdb_cursor_open(reading.transaction, rows_, &cursor));
    MDB_val key = value_of(&table, 1);
    MDB_val row{};
    int result = mdb_cursor_get(cursor, &key, &row, MDB_SET_RANGE);
    for (; result == 0 && *static_cast<const char*>(key.mv_data) == table;
         result = mdb_cursor_get(cursor, &key, &row, MDB_NEXT))
      visit(row_of<Row>(row));
    mdb_cursor_close(cursor);
    if (result != MDB_NOTFOUND) require(result);
  }

 private:
  /// A thread's view; one within another is the same. It keeps its place among the readers, which is cheaper than to
  /// look for one each time.
  struct Reading {
    explicit Reading(const Store& store) {
      if (depth++ == 0)
        require(kept == nullptr ? mdb_txn_begin(store.environment_, nullptr, MDB_RDONLY, &kept) : mdb_txn_renew(kept));
      transaction = kept;
    }
    Reading(const Reading&) = delete;
    Reading& operator=(const Reading&) = delete;
    ~Reading() {
      if (--depth == 0) mdb_txn_reset(transaction);
    }
    MDB_txn* transaction;

   private:
    static inline thread_local MDB_txn* kept = nullptr;
    static inline thread_local unsigned depth = 0;
  };

  static MDB_val value_of(const char* data, std::size_t bytes) { return {bytes, const_cast<char*>(data)}; }

  template <class Row>
  static Row row_of(const MDB_val& value) {
    if (value.mv_size != sizeof(Row)) throw std::runtime_error("LMDB: a row has another size");
    Row row;
    std::memcpy(&row, value.mv_data, sizeof row);
    return row;
  }

  static void require(int result) {
    if (result != 0) throw std::runtime_error(std::string("LMDB: ") + mdb_strerror(result));
  }

  MDB_env* environment_ = nullptr;
  MDB_dbi rows_ = 0;
};

}  // namespace perdure::benchmarks::keyvalue

#endif
