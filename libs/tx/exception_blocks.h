#ifndef PERDURE_TX_EXCEPTION_BLOCKS_H
#define PERDURE_TX_EXCEPTION_BLOCKS_H

#include <cstddef>
#include <cstdint>
#include <cstring>

#include "log/growing_array.h"
#include "tx/captured.h"
#include "tx/exception_state.h"

namespace perdure::tx {

/// Blocks that a transaction, or a part of it, has allocated and that exceptions own which leave it: what they hold is
/// to arrive with the exception, though everything else is undone.
///
/// Nothing says what an exception owns. So blocks count that a word in it leads to, and those that a word in one of
/// these leads to. (One that it only knows of stays, too; until the pool is closed, see `remember`.)
class ExceptionBlocks {
 public:
  ExceptionBlocks() = default;
  ExceptionBlocks(const ExceptionBlocks&) = delete;
  ExceptionBlocks& operator=(const ExceptionBlocks&) = delete;
  ~ExceptionBlocks() {
    blocks_.release();
    candidates_.release();
    contents_.release();
  }

  /// Finds them, and remembers what they hold. Before anything is undone.
  /// \param first  of the blocks that are undone.
  /// \param read   what the transaction sees at an address of such a block, for words and for bytes.
  template <class Read>
  void collect(const ExceptionState& exceptions, const Captured& captured, std::size_t first, const Read& read) {
    if (!may_lead_to_some(exceptions, captured, first)) return;
    captured.for_each_block_since(first,
                                  [&](void* block, std::size_t bytes) { candidates_.push_back({block, bytes}); });
    sort_candidates();
    exceptions.for_each_object([&](const void* object, std::size_t bytes) {
      const auto* const words = static_cast<const std::uintptr_t*>(object);
      for (std::size_t i = 0; i < bytes / sizeof(std::uintptr_t); ++i) take_if_it_leads_to_one(words[i]);
    });
    // What is appended meanwhile is looked at, too.
    for (std::size_t i = 0; i < blocks_.size(); ++i) copy_out(i, read);
    sort_blocks();
  }

  bool contains(const void* block) const;

  /// When the rest has been undone: they hold again what they held. \param write  stores a word or a byte.
  template <class Write>
  void restore(const Write& write) {
    for (const Block& block : blocks_) {
      std::byte* const to = static_cast<std::byte*>(block.address);
      const std::byte* const from = contents_.begin() + block.contents;
      for_each_word(block.bytes, [&](std::size_t at, auto value) {
        std::memcpy(&value, from + at, sizeof value);
        write(reinterpret_cast<decltype(value)*>(to + at), value);
      });
    }
  }

  /// The exceptions may outlive the pools that they lie in.
  void remember() const;

 private:
  struct Block {
    void* address;
    std::size_t bytes;
    std::size_t contents = 0;  // where they are in `contents_`
  };

  /// Whether any word lies between the first and the last of them: mostly not, so nothing is sorted.
  static bool may_lead_to_some(const ExceptionState& exceptions, const Captured& captured, std::size_t first);
  void sort_candidates();
  void sort_blocks();
  void take_if_it_leads_to_one(std::uintptr_t word);

  /// Calls `function(offset, T())` for each word, and each byte behind the last.
  template <class Function>
  static void for_each_word(std::size_t bytes, const Function& function) {
    std::size_t at = 0;
    for (; at + sizeof(std::uintptr_t) <= bytes; at += sizeof(std::uintptr_t)) function(at, std::uintptr_t{});
    for (; at < bytes; ++at) function(at, std::uint8_t{});
  }

  template <class Read>
  void copy_out(std::size_t index, const Read& read) {
    const Block block = blocks_[index];
    blocks_[index].contents = contents_.size();
    for_each_word(block.bytes, [&](std::size_t at, auto value) {
      using Value = decltype(value);
      value = read(reinterpret_cast<const Value*>(static_cast<const std::byte*>(block.address) + at));
      for (std::size_t i = 0; i < sizeof value; ++i) contents_.push_back(std::byte{});
      std::memcpy(contents_.end() - sizeof value, &value, sizeof value);
      if constexpr (sizeof value == sizeof(std::uintptr_t)) take_if_it_leads_to_one(value);
    });
  }

  log::GrowingArray<Block> blocks_;      // by address, when all have been found
  log::GrowingArray<Block> candidates_;  // by address; those that were taken have no bytes any more
  log::GrowingArray<std::byte> contents_;
};

}  // namespace perdure::tx

#endif
