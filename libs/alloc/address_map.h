#ifndef PERDURE_ALLOC_ADDRESS_MAP_H
#define PERDURE_ALLOC_ADDRESS_MAP_H

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

namespace perdure::alloc {

/// From addresses to addresses. Lookups take no lock: an open-addressed array that only grows is published to them.
/// Changes come one at a time.
class AddressMap {
 public:
  /// 0 when it is not there.
  std::uintptr_t find(std::uintptr_t key) const noexcept {
    // Acquire pairs with the release in `grow`: its entries are there.
    const Entries* const entries = entries_.load(std::memory_order_acquire);
    if (entries == nullptr) return 0;
    for (std::size_t position = entries->position_of(key);; position = entries->next(position)) {
      const Entry& entry = entries->all[position];
      // Acquire pairs with the release in `put`: the value belongs to this key.
      const std::uintptr_t found = entry.key.load(std::memory_order_acquire);
      if (found == key) return entry.value.load(std::memory_order_acquire);
      if (found == 0) return 0;
    }
  }

  void put(std::uintptr_t key, std::uintptr_t value) {
    if (used_ * 2 >= capacity()) grow();
    put_into(*generations_.back(), key, value);
  }

  /// What was found may be found for a moment yet.
  void clear() noexcept {
    if (generations_.empty()) return;
    for (Entry& entry : generations_.back()->all) entry.value.store(0, std::memory_order_relaxed);
  }

 private:
  /// A place gets its key once and keeps it, so that chains of probes stay whole.
  struct Entry {
    std::atomic<std::uintptr_t> key{0};
    std::atomic<std::uintptr_t> value{0};
  };
  struct Entries {
    explicit Entries(unsigned bits) : shift(64 - bits), all(std::size_t{1} << bits) {}
    std::size_t position_of(std::uintptr_t key) const noexcept {
      constexpr std::uint64_t golden_ratio = 0x9e3779b97f4a7c15U;
      return static_cast<std::size_t>((key * golden_ratio) >> shift);
    }
    std::size_t next(std::size_t position) const noexcept { return (position + 1) & (all.size() - 1); }

    unsigned shift;
    std::vector<Entry> all;
  };

  std::size_t capacity() const noexcept { return generations_.empty() ? 0 : generations_.back()->all.size(); }

  void put_into(Entries& entries, std::uintptr_t key, std::uintptr_t value) {
    std::size_t position = entries.position_of(key);
    for (;; position = entries.next(position)) {
      const std::uintptr_t found = entries.all[position].key.load(std::memory_order_relaxed);
      if (found == key || found == 0) break;
    }
    Entry& entry = entries.all[position];
    entry.value.store(value, std::memory_order_release);
    if (entry.key.load(std::memory_order_relaxed) == key) return;
    entry.key.store(key, std::memory_order_release);
    ++used_;
  }

  void grow() {
    constexpr unsigned first_bits = 6;
    auto larger = std::make_unique<Entries>(first_bits + static_cast<unsigned>(generations_.size()));
    used_ = 0;
    if (!generations_.empty())
      for (const Entry& entry : generations_.back()->all)
        if (const std::uintptr_t value = entry.value.load(std::memory_order_relaxed))
          put_into(*larger, entry.key.load(std::memory_order_relaxed), value);
    entries_.store(larger.get(), std::memory_order_release);
    generations_.push_back(std::move(larger));
  }

  std::atomic<const Entries*> entries_{nullptr};
  std::vector<std::unique_ptr<Entries>> generations_;  // all stay: lookups may be in any
  std::size_t used_ = 0;
};

}  // namespace perdure::alloc

#endif
