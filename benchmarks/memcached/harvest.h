#ifndef PERDURE_BENCHMARKS_MEMCACHED_HARVEST_H
#define PERDURE_BENCHMARKS_MEMCACHED_HARVEST_H

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "expiry.h"
#include "item_key.h"
#include "perdure/attributes.h"
#include "trace.h"

namespace perdure::benchmarks::memcached {

/// What a transaction found of an item, before it changed anything.
struct Found {
  Presence presence = Presence::absent;
  bool is_created = false;
  bool is_fetched = false;
  bool is_stale = false;
  bool is_won_by_other = false;
  bool is_won = false;
  bool is_binary_key = false;
  std::uint32_t flags = 0;
  std::uint32_t value_size = 0;
  std::uint64_t cas = 0;
  std::size_t bytes = 0;
  UnixSeconds expiry = never;
  UnixSeconds new_expiry = never;
  UnixSeconds used = 0;

  bool exists() const { return presence == Presence::present; }
};

/// What a transaction reads for its client. It lives in ordinary memory, belongs to one thread, and is sent once the
/// transaction has committed.
///
/// A transaction that aborts runs again, so its body begins by emptying the harvest; then nothing of the aborted
/// attempt is left, and nothing need be rolled back. That is what makes these functions pure in the sense of Perdure.
class Harvest {
 public:
  PERDURE_PURE void clear() {
    found_.clear();
    values_.clear();
  }
  PERDURE_PURE void add(const Found& found) { found_.push_back({found, values_.size(), 0}); }
  /// An item of a listing, whose key is then added.
  PERDURE_PURE void add_listed(const Found& found, std::uint8_t key_size) {
    found_.push_back({found, values_.size(), key_size});
  }
  PERDURE_PURE void add_bytes(const char* bytes, std::size_t count) { values_.append(bytes, count); }

  /// The outcome for the `number`th key.
  const Found& found(std::size_t number) const { return found_[number].found; }
  std::string_view value(std::size_t number) const {
    const auto& entry = found_[number];
    return std::string_view(values_).substr(entry.value_begin, entry.found.value_size);
  }

  /// Of a listing.
  std::size_t count() const { return found_.size(); }
  std::string_view key(std::size_t number) const {
    const auto& entry = found_[number];
    return std::string_view(values_).substr(entry.value_begin, entry.key_size);
  }

  /// Gives back the memory of large values.
  void shrink() {
    constexpr std::size_t kept = std::size_t{256} * 1024;
    if (values_.capacity() > kept) values_ = {};
  }

 private:
  struct Entry {
    Found found;
    std::size_t value_begin;  // or the key's
    std::uint8_t key_size;
  };

  std::vector<Entry> found_;
  std::string values_;
};

/// A copy, in the caller's frame, of what belongs to this thread alone and does not change while a transaction runs:
/// its request. Read as it is, because no other thread could have changed it.
template <class T>
PERDURE_PURE T own(const T& thing) {
  return thing;
}

PERDURE_PURE inline ItemKey own_key(const std::string_view& text) { return ItemKey(text); }

/// The same for a piece of a data block.
PERDURE_PURE inline void copy_own(char* to, const char* from, std::size_t count) { std::memcpy(to, from, count); }

}  // namespace perdure::benchmarks::memcached

#endif
