#include "store_iterator.h"

#include <algorithm>
#include <utility>

#include "status.h"

namespace perdure::stores {
namespace {

constexpr unsigned most_leaves = 8;  // in one transaction, which writers may make begin again

}  // namespace

StoreIterator::StoreIterator(Store& store, std::string name)
    : store_(store), name_(std::move(name)), moment_(store.begin_reading()) {}

StoreIterator::StoreIterator(Store& store, std::string name, Stamp moment)
    : store_(store), name_(std::move(name)), moment_(moment) {
  store_.join_reading(moment);
}

StoreIterator::~StoreIterator() {
  status_of(name_, [&] { store_.end_reading(moment_); });
}

void StoreIterator::invalidate() {
  harvest_.entries.clear();
  at_ = 0;
}

void StoreIterator::find_upwards(Start start) {
  is_upwards_ = true;
  at_ = 0;
  const leveldb::Status status = status_of(name_, [&] {
    std::string begin;
    do {
      store_.read_upwards(start, moment_, leaves_, harvest_);
      begin = harvest_.next;
      start = {begin, false, true};
      leaves_ = std::min(2 * leaves_, most_leaves);
    } while (harvest_.entries.empty() && !harvest_.is_all);
  });
  if (status.ok()) return;
  status_ = status;
  invalidate();
}

void StoreIterator::find_downwards(Start start) {
  is_upwards_ = false;
  at_ = 0;
  const leveldb::Status status = status_of(name_, [&] {
    std::string end;
    do {
      store_.read_downwards(start, moment_, leaves_, harvest_);
      end = harvest_.next;
      start = {end, false, false};
      leaves_ = std::min(2 * leaves_, most_leaves);
    } while (harvest_.entries.empty() && !harvest_.is_all);
  });
  if (status.ok()) return;
  status_ = status;
  invalidate();
}

void StoreIterator::Seek(const leveldb::Slice& target) {
  leaves_ = 1;
  find_upwards({{target.data(), target.size()}, false, true});
}

void StoreIterator::SeekBefore(const leveldb::Slice& target) {
  leaves_ = 1;
  find_downwards({{target.data(), target.size()}, false, false});
}

void StoreIterator::Next() {
  if (!is_upwards_) return find_upwards({key_of(harvest_.entries[at_]), false, false});
  if (++at_ < harvest_.entries.size()) return;
  if (harvest_.is_all) return invalidate();
  const std::string begin = harvest_.next;
  find_upwards({begin, false, true});
}

void StoreIterator::Prev() {
  if (is_upwards_) return find_downwards({key_of(harvest_.entries[at_]), false, false});
  if (++at_ < harvest_.entries.size()) return;
  if (harvest_.is_all) return invalidate();
  const std::string end = harvest_.next;
  find_downwards({end, false, false});
}

leveldb::Slice StoreIterator::key() const {
  const std::string_view key = key_of(harvest_.entries[at_]);
  return {key.data(), key.size()};
}

leveldb::Slice StoreIterator::value() const {
  const std::string_view value = value_of(harvest_.entries[at_]);
  return {value.data(), value.size()};
}

}  // namespace perdure::stores
