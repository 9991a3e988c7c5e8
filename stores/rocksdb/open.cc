#include "open.h"

#include <algorithm>

#include "folder.h"

namespace perdure::stores::rocksdb {
namespace {

leveldb::Options folder_options(const rocksdb_options_t* options) {
  leveldb::Options made;
  made.create_if_missing = settings(options).has("create_if_missing");
  made.error_if_exists = settings(options).has("error_if_exists");
  return made;
}

/// Families that are there have to be opened, unless nothing will be written.
leveldb::Status check_all_are_wanted(const Families& families, std::span<const WantedFamily> wanted) {
  std::string left_out;
  for (const Family& family : families.all()) {
    const bool is_wanted =
        std::ranges::any_of(wanted, [&](const WantedFamily& each) { return each.name == family.name; });
    if (!is_wanted && !family.is_dropped) left_out += (left_out.empty() ? "" : ", ") + family.name;
  }
  if (left_out.empty()) return leveldb::Status::OK();
  return leveldb::Status::InvalidArgument("Column families not opened", left_out);
}

/// Binds the families that are there to their comparators.
leveldb::Status set_comparators(Families& families, std::span<const WantedFamily> wanted) {
  for (const WantedFamily& each : wanted) {
    const FamilyId id = families.find(each.name);
    if (!families.is_there(id)) continue;
    const std::string known = families.all()[id].order;
    if (known != name_of(each.comparator))
      return leveldb::Status::InvalidArgument(std::string(name_of(each.comparator)),
                                              "does not match existing comparator " + known);
    families.set_comparator(id, each.comparator);
  }
  return leveldb::Status::OK();
}

leveldb::Status create_missing(rocksdb_t& database, std::span<const WantedFamily> wanted, bool creates) {
  for (const WantedFamily& each : wanted) {
    Families& families = *database.families;
    if (families.is_there(families.find(each.name))) continue;
    if (!creates) return leveldb::Status::InvalidArgument("Column family not found", std::string(each.name));
    const leveldb::Status status =
        status_of(database.name, [&] { families.create(database.store(), each.name, each.comparator); });
    if (!status.ok()) return status;
  }
  return leveldb::Status::OK();
}

/// A database always has its default family: a new one gets it as the first.
leveldb::Status begin(const std::string& name, const WantedFamily& first, Families& families, Store& store) {
  return status_of(name, [&] {
    store.recover();
    if (families.all().empty()) families.create(store, first.name, first.comparator);
  });
}

leveldb::Status verify(const std::string& name, Store& store) {
  const std::string broken = store.verify();
  return broken.empty() ? leveldb::Status::OK() : leveldb::Status::Corruption(name, broken);
}

}  // namespace

FolderTerms terms_of(const Families& families) {
  return {families.order(), "perdure.ColumnFamilies", Store::Recovery::later,
          "was written by another store; Perdure's does not read its files"};
}

leveldb::Status open(const rocksdb_options_t* options, const std::string& name, std::span<const WantedFamily> wanted,
                     bool is_read_only, std::unique_ptr<rocksdb_t>& result) {
  const auto first = std::ranges::find(wanted, default_family, &WantedFamily::name);
  if (first == wanted.end()) return leveldb::Status::InvalidArgument("Default column family not specified");
  leveldb::Options of_folder = folder_options(options);
  if (is_read_only) of_folder.create_if_missing = of_folder.error_if_exists = false;
  if (!of_folder.create_if_missing && owner_of(of_folder, name) == Owner::nobody)
    return leveldb::Status::InvalidArgument(name + "/CURRENT", "does not exist (create_if_missing is false)");
  auto families = std::make_unique<Families>();
  OpenFolder folder;
  leveldb::Status status = open_folder(of_folder, name, terms_of(*families), folder);
  if (status.ok()) status = status_of(name, [&] { families->load(*folder.store); });
  if (status.ok() && !is_read_only) status = check_all_are_wanted(*families, wanted);
  if (status.ok()) status = set_comparators(*families, wanted);
  if (status.ok()) status = begin(name, *first, *families, *folder.store);
  if (status.ok() && settings(options).has("paranoid_checks")) status = verify(name, *folder.store);
  if (!status.ok()) return status;
  std::unique_ptr<rocksdb_t> opened(new rocksdb_t{name, std::move(families), std::move(folder), is_read_only});
  const bool creates = !is_read_only && settings(options).has("create_missing_column_families");
  status = create_missing(*opened, wanted, creates);
  if (status.ok()) result = std::move(opened);
  return status;
}

leveldb::Status list_families(const std::string& name, std::vector<std::string>& result) {
  Families families;
  OpenFolder folder;
  leveldb::Status status = open_folder({}, name, terms_of(families), folder);
  if (status.ok()) status = status_of(name, [&] { families.load(*folder.store); });
  for (const Family& family : families.all())
    if (!family.is_dropped) result.push_back(family.name);
  return status;
}

leveldb::Status repair(const rocksdb_options_t* options, const std::string& name) {
  const rocksdb_comparator_t* const comparator = comparator_in(options);
  Families families;
  OpenFolder folder;
  leveldb::Status status = open_folder({}, name, terms_of(families), folder);
  if (status.ok()) status = status_of(name, [&] { families.load(*folder.store); });
  std::vector<WantedFamily> all;
  const std::vector<Family> known = families.all();
  for (const Family& family : known)
    if (!family.is_dropped) all.push_back({family.name, family.has_comparator() ? comparator : nullptr});
  if (status.ok()) status = set_comparators(families, all);
  if (status.ok()) status = status_of(name, [&] { folder.store->recover(); });
  return status.ok() ? verify(name, *folder.store) : status;
}

leveldb::Status destroy(const std::string& name) {
  if (owner_of({}, name) == Owner::other) return leveldb::Status::InvalidArgument(name, terms_of(Families()).foreign);
  return stores::destroy(name, {});
}

}  // namespace perdure::stores::rocksdb
