#ifndef PERDURE_TX_CAPTURED_H
#define PERDURE_TX_CAPTURED_H

#include <algorithm>
#include <cstddef>
#include <cstdint>

#include "log/growing_array.h"
#include "persist/domain.h"
#include "persist/lines.h"
#include "persist/step.h"
#include "pool/window.h"

namespace perdure::tx {

/// The blocks that a transaction has allocated. No other transaction can reach them before it commits, so the last one
/// may be read and written directly; at commit its lines are flushed before the transaction counts. (Last-allocation
/// tracking, PACT'19 section IV.A; any number of blocks is remembered, so that abort can free them all.)
class Captured {
 public:
  constexpr Captured() = default;

  /// \param is_logged  at commit, all that it holds goes to the log, so it need not be flushed.
  void add(void* block, std::size_t bytes, bool is_logged = false) {
    blocks_.push_back({block, bytes, is_logged});
    if (last_bytes_ == everything) [[unlikely]]
      return;
    last_ = reinterpret_cast<std::uintptr_t>(block);
    last_bytes_ = bytes;
  }

  /// The program uses more of the block than it has asked for. Without this, a word that lies across the end would go
  /// through the log, which then overwrites what is written directly to its first part. Only the last block is written
  /// so; of those that the plugin knew before it, the newest are looked at. (Blocks that others have made are asked
  /// about as often, and to look at all for each would take too long.)
  void extend(const void* block, std::size_t bytes) {
    const std::size_t oldest = blocks_.size() - std::min(blocks_.size(), newest);
    for (std::size_t i = blocks_.size(); i-- > oldest;) {
      if (blocks_[i].address != block) continue;
      blocks_[i].bytes = std::max<std::size_t>(blocks_[i].bytes, bytes);
      if (last_ == reinterpret_cast<std::uintptr_t>(block) && last_bytes_ != everything) last_bytes_ = blocks_[i].bytes;
      return;
    }
  }

  bool is_in_last(const void* address) const { return reinterpret_cast<std::uintptr_t>(address) - last_ < last_bytes_; }

  bool is_in_last(const void* address, std::size_t bytes) const {
    const std::uintptr_t offset = reinterpret_cast<std::uintptr_t>(address) - last_;
    return offset < last_bytes_ && bytes <= last_bytes_ - offset;
  }

  /// From now on all memory counts as the last block: nobody else runs a transaction, or each access is looked at.
  void capture_everything() {
    last_ = 0;
    last_bytes_ = everything;
  }

  /// None does, until the next one comes.
  void capture_nothing() { last_ = last_bytes_ = 0; }

  bool empty() const { return blocks_.empty(); }
  std::size_t size() const { return blocks_.size(); }

  /// How many bytes were asked for at `block`; 0 when it is none of these.
  std::size_t bytes_of(const void* block) const {
    for (std::size_t i = blocks_.size(); i-- > 0;)
      if (blocks_[i].address == block) return blocks_[i].bytes;
    return 0;
  }

  /// Calls `function(line)` from the first line of each block to its last. A line that a block shares with the one
  /// before, as small ones mostly do, comes once.
  template <class Function>
  void for_each_line(Function&& function) const {
    persistence::RecentLines<1> recent;
    for (const Block& block : blocks_) {
      if (block.is_logged || !pool::in_window(block.address)) continue;
      const auto end = reinterpret_cast<std::uintptr_t>(block.address) +
                       persistence::value<persistence::Step::captured_bytes>(block.bytes);
      for (std::uintptr_t line = persistence::line_of(block.address); line < end; line += persistence::line_bytes)
        if (recent.insert(line)) function(line);
    }
  }

  /// Durable after the next fence.
  void flush() const {
    for_each_line([](std::uintptr_t line) { persistence::flush_data(line); });
  }

  /// Calls `function(block, bytes)` for each that is logged.
  template <class Function>
  void for_each_logged(Function&& function) const {
    for (const Block& block : blocks_)
      if (block.is_logged) function(block.address, block.bytes);
  }
  /// None is. They are flushed, like others.
  void log_none() {
    for (Block& block : blocks_) block.is_logged = false;
  }
  void remove_logged() {
    blocks_.remove_if([](const Block& block) { return block.is_logged; });
  }

  /// Calls `function(block, bytes that were asked for)` for each.
  template <class Function>
  void for_each_block(Function&& function) const {
    for_each_block_since(0, function);
  }

  /// Those that came since there were `count`.
  template <class Function>
  void for_each_block_since(std::size_t count, Function&& function) const {
    for (std::size_t i = count; i < blocks_.size(); ++i) function(blocks_[i].address, blocks_[i].bytes);
  }

  template <class Function>
  void for_each(Function&& function) const {
    for_each_since(0, function);
  }
  template <class Function>
  void for_each_since(std::size_t count, Function&& function) const {
    for (std::size_t i = count; i < blocks_.size(); ++i) function(blocks_[i].address);
  }

  void clear() {
    blocks_.clear();
    capture_nothing();
  }

  void release() { blocks_.release(); }

 private:
  struct Block {
    void* address;
    std::size_t bytes : 63;
    bool is_logged : 1;
  };
  static_assert(sizeof(Block) == 16);
  static constexpr std::uintptr_t everything = ~std::uintptr_t{0};
  static constexpr std::size_t newest = 64;

  log::GrowingArray<Block> blocks_;
  std::uintptr_t last_ = 0;
  std::uintptr_t last_bytes_ = 0;
};

}  // namespace perdure::tx

#endif
