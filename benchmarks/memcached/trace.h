#ifndef PERDURE_BENCHMARKS_MEMCACHED_TRACE_H
#define PERDURE_BENCHMARKS_MEMCACHED_TRACE_H

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "expiry.h"
#include "perdure/attributes.h"

namespace perdure::benchmarks::memcached {

/// What somebody who looks for an item comes upon. The last two are removed by whoever comes upon them.
enum class Presence : std::uint8_t { absent, present, flushed, expired };

/// An item that had to make room.
struct Eviction {
  bool is_fetched = false;
  std::uint8_t key_size = 0;
  std::uint32_t value_size = 0;
  UnixSeconds expiry = never;
  UnixSeconds used = 0;
};

/// What a transaction did beside what its client asked for: for statistics, and for those who watch.
///
/// As a harvest, it lives in ordinary memory and belongs to one thread; the transaction's body begins by emptying it,
/// and it is looked at after the commit. So it tells nothing of an attempt that was rolled back.
class Trace {
 public:
  struct Reclaimed {
    std::uint64_t items = 0;
    std::uint64_t never_fetched = 0;  // of them
  };

  /// Before a transaction.
  /// \param is_watched  somebody wants to know of every item; otherwise they are counted only.
  void begin(bool is_watched) {
    is_watched_ = is_watched;
    clear();
  }

  PERDURE_PURE void clear() {
    seen_ = Presence::absent;
    evictions_.clear();
    keys_.clear();
    reclaimed_ = {};
  }

  PERDURE_PURE bool is_watched() const { return is_watched_; }
  PERDURE_PURE void see(Presence presence) { seen_ = presence; }
  PERDURE_PURE void see_size(std::uint32_t value_size) { seen_size_ = value_size; }
  PERDURE_PURE void store(UnixSeconds expiry, std::uint32_t value_size) {
    stored_expiry_ = expiry;
    stored_size_ = value_size;
  }
  PERDURE_PURE void add(const Eviction& eviction) { evictions_.push_back(eviction); }
  /// Of the eviction that has just been added: if it is watched.
  PERDURE_PURE void add_key(const char* key, std::size_t size) { keys_.append(key, size); }
  /// An item that was dead already and has made room.
  PERDURE_PURE void add_reclaimed(bool is_fetched) {
    ++reclaimed_.items;
    if (!is_fetched) ++reclaimed_.never_fetched;
  }

  /// The item that the command was about, before it.
  Presence seen() const { return seen_; }
  std::uint32_t seen_size() const { return seen_ == Presence::present ? seen_size_ : 0; }  // if it is watched
  /// The item that was stored: if it is watched.
  UnixSeconds stored_expiry() const { return stored_expiry_; }
  std::uint32_t stored_size() const { return stored_size_; }

  const std::vector<Eviction>& evictions() const { return evictions_; }
  /// Of all evictions, one behind the other: if it is watched.
  std::string_view keys() const { return keys_; }
  const Reclaimed& reclaimed() const { return reclaimed_; }

 private:
  bool is_watched_ = false;
  Presence seen_ = Presence::absent;
  std::uint32_t seen_size_ = 0;
  UnixSeconds stored_expiry_ = never;
  std::uint32_t stored_size_ = 0;
  std::vector<Eviction> evictions_;
  std::string keys_;
  Reclaimed reclaimed_;
};

}  // namespace perdure::benchmarks::memcached

#endif
