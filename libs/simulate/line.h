#ifndef PERDURE_SIMULATE_LINE_H
#define PERDURE_SIMULATE_LINE_H

#include <algorithm>
#include <array>
#include <cstdint>
#include <vector>

#include "persist/domain.h"
#include "pool/checksum.h"

namespace perdure::simulate {

/// What a cache line holds, in the units that reach memory whole.
using Content = std::array<std::uint64_t, persistence::line_bytes / persistence::atomic_bytes>;
static_assert(sizeof(Content::value_type) == persistence::atomic_bytes);

inline std::size_t word_in_line(std::uintptr_t address) {
  return address % persistence::line_bytes / persistence::atomic_bytes;
}

inline std::uint64_t hash_of(const Content& content) {
  std::uint64_t hash = 0;
  for (const std::uint64_t word : content) hash = pool::mix(hash, word);
  return hash;
}

/// A line in the durable image: one of `bases` (several, when a crash happened before and nobody has looked since which
/// it left), with some prefix of `stores` applied, in program order.
class Line {
 public:
  explicit Line(std::vector<Content> bases) : bases_(std::move(bases)), newest_(bases_) {}

  /// \returns whether the store changes anything.
  bool store(std::size_t word, std::uint64_t value) {
    if (std::ranges::all_of(newest_, [&](const Content& newest) { return newest[word] == value; })) return false;
    stores_.push_back({word, value});
    for (Content& newest : newest_) newest[word] = value;
    return true;
  }

  /// The line becomes zero, at once. \returns whether that changes anything.
  bool clear() {
    if (std::ranges::all_of(newest_, [](const Content& newest) { return newest == Content{}; })) return false;
    stores_.push_back({all_words, 0});
    for (Content& newest : newest_) newest = {};
    cleared_ = stores_.size();
    return true;
  }

  std::size_t stores() const { return stores_.size(); }
  /// So many of them, up to the last time that it was cleared.
  std::size_t stores_until_cleared() const { return cleared_; }

  /// The first `count` stores are durable.
  void settle(std::size_t count) {
    for (Content& base : bases_) base = apply(base, count);
    stores_.erase(stores_.begin(), stores_.begin() + static_cast<std::ptrdiff_t>(count));
    cleared_ -= std::min(cleared_, count);
  }

  /// Whether the durable image holds one certain content.
  bool is_certain() const { return bases_.size() == 1 && stores_.empty(); }
  const Content& oldest() const { return bases_.front(); }

  /// What the line may hold after a crash now, without repetitions.
  std::vector<Content> possible() const {
    std::vector<Content> contents;
    for (const Content& base : bases_)
      for (std::size_t count = 0; count <= stores_.size(); ++count) add(contents, apply(base, count));
    return contents;
  }

  /// What it may hold if every store so far has reached memory.
  std::vector<Content> newest() const {
    std::vector<Content> contents;
    for (const Content& content : newest_) add(contents, content);
    return contents;
  }

 private:
  static constexpr std::size_t all_words = std::tuple_size_v<Content>;

  struct Store {
    std::size_t word;  // or `all_words`
    std::uint64_t value;
  };

  Content apply(Content content, std::size_t count) const {
    for (std::size_t i = 0; i < count; ++i) {
      if (stores_[i].word == all_words)
        content = {};
      else
        content[stores_[i].word] = stores_[i].value;
    }
    return content;
  }
  static void add(std::vector<Content>& contents, const Content& content) {
    if (std::ranges::find(contents, content) == contents.end()) contents.push_back(content);
  }

  std::vector<Content> bases_;
  std::vector<Content> newest_;  // each of them with all stores applied
  std::vector<Store> stores_;
  std::size_t cleared_ = 0;
};

}  // namespace perdure::simulate

#endif
