#ifndef PERDURE_PLUGIN_TESTS_LAYOUT_CHECK_H
#define PERDURE_PLUGIN_TESTS_LAYOUT_CHECK_H

#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <utility>
#include <vector>

#include "abi/block_layout.h"

namespace deferred_runtime {

/// Holds what the plugin says of blocks against what programs write into them: of a block whose layout is known, each
/// word that leads into the arena must be a pointer by the layout, or unsure; and what is a pointer by the layout must
/// be null or an address. Blocks are zeroed before.
class LayoutCheck {
 public:
  /// What the next block holds.
  void announce(const perdure::alloc::BlockLayout* layout) {
    require(next_ == nullptr, "a layout without a block");
    next_ = layout;
  }

  /// An allocation begins. A layout that was meant for another block rarely fits this one.
  void take(std::size_t bytes) {
    taken_ = std::exchange(next_, nullptr);
    if (taken_ == nullptr) return;
    ++count_;
    const auto elements = bytes - taken_->first_element;
    require(taken_->word_count == 0 || is_memory(*taken_) ||
                (bytes >= taken_->first_element && elements % taken_->element_bytes == 0),
            "a block whose layout is that of another type");
  }

  /// It has returned this block.
  void add(const unsigned char* block, std::size_t bytes) {
    if (const auto* const layout = std::exchange(taken_, nullptr)) blocks_.push_back({block, bytes, layout});
  }

  /// An attempt ends; what it allocated from `end` on is given back.
  void drop_from(const unsigned char* end) {
    require(next_ == nullptr, "a layout whose block was not allocated");
    taken_ = nullptr;
    while (!blocks_.empty() && blocks_.back().begin >= end) blocks_.pop_back();
  }

  void check_all(const unsigned char* arena, std::size_t arena_bytes) const {
    require(next_ == nullptr, "a layout without a block");
    for (const Block& block : blocks_) check(block, arena, arena_bytes);
  }

  unsigned long count() const { return count_; }

 private:
  using Kind = perdure::alloc::LayoutWords::Kind;
  static constexpr std::size_t word_bytes = 8;
  static constexpr std::uint64_t first_address = 4096;
  static constexpr std::uint64_t end_of_addresses = std::uint64_t{1} << 47;

  struct Block {
    const unsigned char* begin;
    std::size_t bytes;
    const perdure::alloc::BlockLayout* layout;
  };

  /// What is allocated as characters is of any size.
  static bool is_memory(const perdure::alloc::BlockLayout& layout) {
    return layout.element_bytes == word_bytes && layout.words()[0].kind == Kind::unsure;
  }

  [[noreturn]] static void fail(const char* what);
  static void require(bool is_right, const char* what) {
    if (!is_right) fail(what);
  }

  static std::uint64_t word_at(const unsigned char* place) {
    std::uint64_t word = 0;
    std::memcpy(&word, place, word_bytes);
    return word;
  }

  static void check(const Block& block, const unsigned char* arena, std::size_t arena_bytes) {
    std::vector<bool> may_be_pointer(block.bytes / word_bytes);
    for (std::size_t i = 0; i < elements_in(block); ++i)
      check_element(block, block.layout->first_element + i * block.layout->element_bytes, may_be_pointer);
    for (std::size_t i = 0; i < may_be_pointer.size(); ++i) {
      const auto position = word_at(block.begin + i * word_bytes) - reinterpret_cast<std::uintptr_t>(arena);
      if (may_be_pointer[i] || position >= arena_bytes) continue;
      std::fprintf(stderr, "word %zu of a block of %zu bytes, elements of %u bytes\n", i, block.bytes,
                   block.layout->element_bytes);
      fail("a pointer where the layout has none");
    }
  }

  static std::size_t elements_in(const Block& block) {
    const auto& layout = *block.layout;
    return layout.word_count == 0 ? 0 : (block.bytes - layout.first_element) / layout.element_bytes;
  }

  static void check_element(const Block& block, std::size_t offset, std::vector<bool>& may_be_pointer) {
    for (const auto& words : block.layout->words())
      for (std::size_t i = 0; i < words.count; ++i) {
        const std::size_t position = offset + words.offset + i * word_bytes;
        const bool is_certain =
            words.kind == Kind::pointer ||
            (words.kind == Kind::conditional &&
             (block.begin[offset + words.test_offset] & words.test_mask) == words.test_value);
        if (is_certain) check_pointer(word_at(block.begin + position));
        // What is no pointer now may be what is left of one: short strings are copied with all their bytes.
        may_be_pointer[position / word_bytes] = true;
      }
  }

  static void check_pointer(std::uint64_t word) {
    require(word == 0 || (word >= first_address && word < end_of_addresses),
            "no address where the layout has a pointer");
  }

  const perdure::alloc::BlockLayout* next_ = nullptr;
  const perdure::alloc::BlockLayout* taken_ = nullptr;  // of the allocation that is under way
  std::vector<Block> blocks_;
  unsigned long count_ = 0;
};

}  // namespace deferred_runtime

#endif
