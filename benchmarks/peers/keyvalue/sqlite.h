#ifndef PERDURE_BENCHMARKS_PEERS_SQLITE_H
#define PERDURE_BENCHMARKS_PEERS_SQLITE_H

#include <sqlite3.h>

#include <cstring>
#include <filesystem>
#include <memory>
#include <mutex>
#include <optional>
#include <stdexcept>
#include <string>

#include "changes.h"

namespace perdure::benchmarks::keyvalue {

struct Sqlite {
  static constexpr const char* name = "SQLite";
};

/// A connection, with its statements prepared.
class SqliteConnection {
 public:
  explicit SqliteConnection(const std::filesystem::path& file) {
    constexpr int longest_wait_ms = 60'000;
    require(sqlite3_open_v2(file.c_str(), &handle_, SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE | SQLITE_OPEN_NOMUTEX,
                            nullptr));
    sqlite3_busy_timeout(handle_, longest_wait_ms);
    run("PRAGMA journal_mode=WAL");
    run("PRAGMA synchronous=FULL");
    run("PRAGMA cache_size=-262144");  // 256 MiB
    run("PRAGMA mmap_size=4294967296");
    run("CREATE TABLE IF NOT EXISTS rows(key BLOB PRIMARY KEY, row BLOB) WITHOUT ROWID");
    begin_ = prepare("BEGIN IMMEDIATE");
    commit_ = prepare("COMMIT");
    get_ = prepare("SELECT row FROM rows WHERE key = ?");
    put_ = prepare("REPLACE INTO rows VALUES(?, ?)");
    erase_ = prepare("DELETE FROM rows WHERE key = ?");
    from_ = prepare("SELECT key, row FROM rows WHERE key >= ? ORDER BY key");
  }
  SqliteConnection(const SqliteConnection&) = delete;
  SqliteConnection& operator=(const SqliteConnection&) = delete;
  ~SqliteConnection() {
    for (sqlite3_stmt* statement : {begin_, commit_, get_, put_, erase_, from_}) sqlite3_finalize(statement);
    sqlite3_close(handle_);
  }

  template <class Row>
  std::optional<Row> get(const RowKey& key) {
    bind(get_, 1, key.data(), key.size());
    const bool is_there = sqlite3_step(get_) == SQLITE_ROW;
    std::optional<Row> row;
    if (is_there) row = row_of<Row>(get_, 0);
    require(sqlite3_reset(get_));
    return row;
  }

  void commit(const Changes& batch) {
    step(begin_);
    for (const Change& change : batch.all()) {
      sqlite3_stmt* const statement = change.erases ? erase_ : put_;
      bind(statement, 1, change.key.data(), change.key.size());
      if (!change.erases) bind(statement, 2, change.row.data(), change.row.size());
      step(statement);
    }
    step(commit_);
  }

  template <class Row, class Visit>
  void for_each(char table, Visit visit) {
    bind(from_, 1, &table, 1);
    while (sqlite3_step(from_) == SQLITE_ROW && *static_cast<const char*>(sqlite3_column_blob(from_, 0)) == table)
      visit(row_of<Row>(from_, 1));
    require(sqlite3_reset(from_));
  }

 private:
  void require(int result) const {
    if (result != SQLITE_OK) throw std::runtime_error(std::string("SQLite: ") + sqlite3_errmsg(handle_));
  }
  void run(const char* sql) const { require(sqlite3_exec(handle_, sql, nullptr, nullptr, nullptr)); }
  sqlite3_stmt* prepare(const char* sql) const {
    sqlite3_stmt* statement = nullptr;
    require(sqlite3_prepare_v3(handle_, sql, -1, SQLITE_PREPARE_PERSISTENT, &statement, nullptr));
    return statement;
  }
  void bind(sqlite3_stmt* statement, int number, const char* data, std::size_t bytes) const {
    require(sqlite3_bind_blob64(statement, number, data, bytes, SQLITE_STATIC));
  }
  void step(sqlite3_stmt* statement) const {
    const int result = sqlite3_step(statement);
    const int reset = sqlite3_reset(statement);
    if (result != SQLITE_DONE) require(reset == SQLITE_OK ? result : reset);
  }

  template <class Row>
  static Row row_of(sqlite3_stmt* statement, int column) {
    if (sqlite3_column_bytes(statement, column) != static_cast<int>(sizeof(Row)))
      throw std::runtime_error("SQLite: a row has another size");
    Row row;
    std::memcpy(&row, sqlite3_column_blob(statement, column), sizeof row);
    return row;
  }

  sqlite3* handle_ = nullptr;
  sqlite3_stmt* begin_ = nullptr;
  sqlite3_stmt* commit_ = nullptr;
  sqlite3_stmt* get_ = nullptr;
  sqlite3_stmt* put_ = nullptr;
  sqlite3_stmt* erase_ = nullptr;
  sqlite3_stmt* from_ = nullptr;
};

/// Rows in SQLite: one table, with a write-ahead log that each commit synchronises. A connection for each thread; they
/// write one after the other without SQLite's own waiting, which sleeps for milliseconds.
template <>
class Store<Sqlite> {
 public:
  using Batch = Changes;

  explicit Store(const std::filesystem::path& path) : file_(path / "rows.db") {
    std::filesystem::create_directories(path);
    connection();  // makes the table, while nobody else does
  }

  template <class Row>
  std::optional<Row> get(const RowKey& key) const {
    return connection().get<Row>(key);
  }

  void commit(const Batch& batch) {
    SqliteConnection& of_thread = connection();
    const std::scoped_lock lock(writing_);
    of_thread.commit(batch);
  }
  void load(const Batch& batch) { commit(batch); }
  void settle() {}

  template <class Row, class Visit>
  void for_each(char table, Visit visit) const {
    connection().for_each<Row>(table, visit);
  }

 private:
  SqliteConnection& connection() const {
    thread_local std::unique_ptr<SqliteConnection> of_thread;
    if (of_thread == nullptr) of_thread = std::make_unique<SqliteConnection>(file_);
    return *of_thread;
  }

  std::filesystem::path file_;
  std::mutex writing_;
};

}  // namespace perdure::benchmarks::keyvalue

#endif
