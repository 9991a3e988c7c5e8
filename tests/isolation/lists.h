#ifndef PERDURE_TESTS_ISOLATION_LISTS_H
#define PERDURE_TESTS_ISOLATION_LISTS_H

#include <array>
#include <vector>

#include "history.h"
#include "tests/tx/by_hand.h"

/// Append-only lists in transactional memory, in two forms. Both have, for calls in transactions,
///   std::size_t read(Key, List&)   the list's values, and how many
///   bool append(Key, Value)        false when it is full
namespace perdure::history {

inline constexpr std::size_t list_capacity = 12;
using List = std::array<Value, list_capacity>;

/// A length and room for the values. The lists lie close together, so that they share chunks, stripes and lines; those
/// with odd keys are in ordinary memory.
class ListsInPlace {
 public:
  static constexpr std::size_t words_per_list = 1 + list_capacity;

  /// \param in_pool  at least `keys * words_per_list` words.
  ListsInPlace(std::uint64_t* in_pool, std::size_t keys) : in_pool_(in_pool), elsewhere_(keys * words_per_list) {
    by_hand::transact([&] { perdure_memset(in_pool_, 0, elsewhere_.size() * sizeof(std::uint64_t)); });
  }

  std::size_t read(Key key, List& into) {
    std::uint64_t* const list = words_of(key);
    const std::size_t length = length_of(list);
    for (std::size_t i = 0; i < length; ++i) into[i] = by_hand::read(list[1 + i]);
    return length;
  }

  bool append(Key key, Value value) {
    std::uint64_t* const list = words_of(key);
    const std::size_t length = length_of(list);
    if (length == list_capacity) return false;
    by_hand::write(list[1 + length], value);
    by_hand::write(list[0], length + 1);
    return true;
  }

 private:
  std::uint64_t* words_of(Key key) { return (key % 2 == 0 ? in_pool_ : elsewhere_.data()) + key / 2 * words_per_list; }

  static std::size_t length_of(const std::uint64_t* list) {
    const std::uint64_t length = by_hand::read(list[0]);
    EXPECT_LE(length, list_capacity) << "a length that nobody wrote";
    return length <= list_capacity ? length : list_capacity;
  }

  std::uint64_t* in_pool_;
  std::vector<std::uint64_t> elsewhere_;
};

/// A pointer to a block with the length and the values. An append makes a new block and frees the old one: captured
/// memory, reuse, and readers of blocks that are no longer there.
class CopiedLists {
 public:
  static constexpr std::size_t words_per_list = 1;

  CopiedLists(std::uint64_t* in_pool, std::size_t keys) : blocks_(in_pool), keys_(keys) {
    by_hand::transact([&] { perdure_memset(blocks_, 0, keys * sizeof(std::uint64_t)); });
  }
  CopiedLists(const CopiedLists&) = delete;
  CopiedLists& operator=(const CopiedLists&) = delete;

  ~CopiedLists() {
    for (Key key = 0; key < keys_; ++key) by_hand::transact([&] { entry::transactional_free(block_of(key)); });
  }

  std::size_t read(Key key, List& into) {
    const std::uint64_t* const block = block_of(key);
    if (block == nullptr) return 0;
    const std::uint64_t length = by_hand::read(block[0]);
    EXPECT_LE(length, list_capacity) << "a block that is somebody else's";
    if (length > list_capacity) return 0;
    for (std::size_t i = 0; i < length; ++i) into[i] = by_hand::read(block[1 + i]);
    return length;
  }

  bool append(Key key, Value value) {
    List values;
    const std::size_t length = read(key, values);
    if (length == list_capacity) return false;
    values[length] = value;
    auto* const block = by_hand::allocate_words(2 + length);
    by_hand::write(block[0], length + 1);
    for (std::size_t i = 0; i <= length; ++i) by_hand::write(block[1 + i], values[i]);
    entry::transactional_free(block_of(key));
    by_hand::write(blocks_[key], reinterpret_cast<std::uint64_t>(block));
    return true;
  }

 private:
  std::uint64_t* block_of(Key key) { return reinterpret_cast<std::uint64_t*>(by_hand::read(blocks_[key])); }

  std::uint64_t* blocks_;
  std::size_t keys_;
};

}  // namespace perdure::history

#endif
