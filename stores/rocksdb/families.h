#ifndef PERDURE_STORES_ROCKSDB_FAMILIES_H
#define PERDURE_STORES_ROCKSDB_FAMILIES_H

#include <atomic>
#include <memory>
#include <string>
#include <vector>

#include "comparator.h"
#include "family_key.h"
#include "store.h"

namespace perdure::stores::rocksdb {

inline constexpr std::string_view default_family = "default";
inline constexpr FamilyId default_id = 0;

struct Family {
  std::string name;
  std::string order;  ///< the comparator's name
  bool is_dropped = false;
  const rocksdb_comparator_t* comparator = nullptr;  ///< null: the order of bytes, or not known yet

  bool has_comparator() const { return order != bytewise_name; }
  FamilyPrefix prefix(FamilyId id) const { return {id, has_comparator()}; }
};

/// The column families of a database, by their numbers, which are never given twice. The store has a record of each,
/// under the number and before all families' keys. Any number of threads may ask, while one changes them.
class Families {
 public:
  Families() { publish({}); }

  /// The order of all keys: by family, and then as the family's comparator says. Of a family that was dropped, whose
  /// comparator nobody gives any more, there are no keys to compare.
  KeyOrder order() const { return {false, &compare, this, &count_bytewise}; }

  /// Reads the records, also of a store that is not recovered.
  void load(Store& store);

  /// Binds a family's keys to a comparator, before any of them is looked at.
  void set_comparator(FamilyId id, const rocksdb_comparator_t* comparator);

  /// Adds a family to the store, durably. \returns its number.
  FamilyId create(Store& store, std::string_view name, const rocksdb_comparator_t* comparator);

  /// What to write so that a family is no more, besides what takes its keys away. The change refers to `key`.
  static Change change_to_drop(FamilyId id, std::string& key);
  void note_dropped(FamilyId id);

  const std::vector<Family>& all() const { return *current_.load(std::memory_order_acquire); }
  /// The number of the family of this name, or all().size().
  FamilyId find(std::string_view name) const;
  bool is_there(FamilyId id) const { return id < all().size() && !all()[id].is_dropped; }

 private:
  void publish(std::vector<Family> families);
  static int compare(const void* families, std::string_view left, std::string_view right);
  static std::size_t count_bytewise(std::string_view key);

  std::atomic<const std::vector<Family>*> current_;
  std::vector<std::unique_ptr<const std::vector<Family>>> published_;  // a comparison may yet look at any of them
};

}  // namespace perdure::stores::rocksdb

#endif
