#include "families.h"

#include <algorithm>

namespace perdure::stores::rocksdb {
namespace {

std::string record_key(FamilyId id) { return bytes_of(0) + bytes_of(id); }

/// The comparator's name, a zero, and the family's name; empty: it was dropped.
std::string record_of(const Family& family) { return family.order + '\0' + family.name; }

Family family_in(std::string_view record) {
  const std::size_t end = record.find('\0');
  if (end == std::string_view::npos) return {{}, std::string(bytewise_name), true};
  return {std::string(record.substr(end + 1)), std::string(record.substr(0, end))};
}

}  // namespace

int Families::compare(const void* families, std::string_view left, std::string_view right) {
  const auto id = FamilyPrefix::id_with_comparator(left);
  if (!id || id != FamilyPrefix::id_with_comparator(right)) return left.compare(right);
  const rocksdb_comparator_t* const comparator = static_cast<const Families*>(families)->all()[*id].comparator;
  if (comparator == nullptr) return left.compare(right);
  const std::string_view first = FamilyPrefix::without(left), second = FamilyPrefix::without(right);
  return comparator->compare(comparator->state, first.data(), first.size(), second.data(), second.size());
}

std::size_t Families::count_bytewise(std::string_view key) {
  return FamilyPrefix::id_with_comparator(key) ? prefix_bytes : std::string_view::npos;
}

void Families::publish(std::vector<Family> families) {
  published_.push_back(std::make_unique<const std::vector<Family>>(std::move(families)));
  current_.store(published_.back().get(), std::memory_order_release);
}

void Families::load(Store& store) {
  std::vector<Family> found;
  std::string record;
  while (store.read(record_key(static_cast<FamilyId>(found.size())), latest, record))
    found.push_back(family_in(record));
  publish(std::move(found));
}

void Families::set_comparator(FamilyId id, const rocksdb_comparator_t* comparator) {
  std::vector<Family> families = all();
  families[id].comparator = comparator;
  publish(std::move(families));
}

FamilyId Families::create(Store& store, std::string_view name, const rocksdb_comparator_t* comparator) {
  std::vector<Family> families = all();
  const auto id = static_cast<FamilyId>(families.size());
  families.push_back({std::string(name), std::string(name_of(comparator)), false, comparator});
  const std::string key = record_key(id), record = record_of(families.back());
  const Change change{Kind::value, key, record};
  store.write({&change, 1}, Acknowledgement::sync);
  publish(std::move(families));
  return id;
}

Change Families::change_to_drop(FamilyId id, std::string& key) {
  key = record_key(id);
  return {Kind::value, key, {}};
}

void Families::note_dropped(FamilyId id) {
  std::vector<Family> families = all();
  families[id].is_dropped = true;
  publish(std::move(families));
}

FamilyId Families::find(std::string_view name) const {
  const auto& families = all();
  const auto found =
      std::ranges::find_if(families, [&](const Family& family) { return !family.is_dropped && family.name == name; });
  return static_cast<FamilyId>(found - families.begin());
}

}  // namespace perdure::stores::rocksdb
