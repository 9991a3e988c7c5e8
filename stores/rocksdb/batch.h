#ifndef PERDURE_STORES_ROCKSDB_BATCH_H
#define PERDURE_STORES_ROCKSDB_BATCH_H

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "family_key.h"

namespace perdure::stores::rocksdb {

/// What a record of a batch says, by RocksDB's number of it. (A single deletion of RocksDB's is a deletion here.)
enum class Operation : unsigned char {
  deletion = 0,
  value = 1,
  merge = 2,
  log_data = 3,
  single_deletion = 7,
  range = 15
};

struct Record {
  Operation operation;
  FamilyId family;
  std::string_view key;    ///< of a range: its begin
  std::string_view value;  ///< of a range: its end
};

/// Changes that a program collects: in the bytes of RocksDB's batches, since programs send those to each other.
///   batch:  sequence number (8 bytes, 0), count (4 bytes), records; numbers have their lowest byte first
///   record: operation, the family's number if it is not 0, key, value (of `value`, `merge` and `range`)
///   text:   its size in groups of seven bits, the bytes
class Batch {
 public:
  Batch() : bytes_(header_bytes, '\0') {}
  explicit Batch(std::string_view bytes) : bytes_(bytes) {
    if (bytes_.size() < header_bytes) bytes_.resize(header_bytes);
  }

  void add(const Record& record);
  void clear();
  std::uint32_t count() const;
  const std::string& bytes() const { return bytes_; }

  void set_save_point() { save_points_.push_back({bytes_.size(), count()}); }
  /// \returns false if there is none.
  bool roll_back();
  bool pop_save_point();

  /// Calls `visit` for each record, until it returns false. \returns whether the batch could be read.
  template <class Visit>
  bool visit(Visit visit) const {
    std::string_view rest = std::string_view(bytes_).substr(header_bytes);
    for (Record record{}; !rest.empty();) {
      if (!take_record(rest, record)) return false;
      if (!visit(record)) return true;
    }
    return true;
  }

 private:
  static constexpr std::size_t count_at = 8, header_bytes = 12;

  struct SavePoint {
    std::size_t bytes;
    std::uint32_t count;
  };

  static bool take_record(std::string_view& rest, Record& record);
  void set_count(std::uint32_t count);

  std::string bytes_;
  std::vector<SavePoint> save_points_;
};

}  // namespace perdure::stores::rocksdb

struct rocksdb_writebatch_t {
  perdure::stores::rocksdb::Batch batch;
};

#endif
