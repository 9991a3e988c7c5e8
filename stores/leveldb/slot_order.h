#ifndef PERDURE_STORES_LEVELDB_SLOT_ORDER_H
#define PERDURE_STORES_LEVELDB_SLOT_ORDER_H

#include <cstdint>

namespace perdure::stores {

/// The order of up to 15 slots, in one word: how many are taken (the lowest four bits), and which slot comes at which
/// position; behind the taken ones come the free ones (Masstree's permutation; Mao, Kohler, Morris, EuroSys'12). To
/// insert is to write one free slot and this word.
class SlotOrder {
 public:
  static constexpr unsigned capacity = 15;

  unsigned size() const { return static_cast<unsigned>(word_ & mask); }
  unsigned slot(unsigned position) const { return static_cast<unsigned>(word_ >> shift_of(position) & mask); }

  /// Takes a free slot for `position`, before what was there. \returns the slot.
  unsigned insert(unsigned position) {
    const unsigned taken = slot(size());
    move(size(), position);
    ++word_;
    return taken;
  }

  void erase(unsigned position) {
    move(position, size() - 1);
    --word_;
  }

  /// Frees the slots of all positions from `size` on.
  void truncate(unsigned size) { word_ = (word_ & ~mask) | size; }

 private:
  static constexpr unsigned bits = 4;
  static constexpr std::uint64_t mask = 15;

  static constexpr unsigned shift_of(unsigned position) { return bits * (position + 1); }
  static constexpr std::uint64_t below(unsigned shift) { return (std::uint64_t{1} << shift) - 1; }

  void move(unsigned from, unsigned to) {
    const std::uint64_t moved = slot(from);
    const std::uint64_t kept = below(shift_of(from));
    const std::uint64_t rest = (word_ & kept) | (word_ >> bits & ~kept);  // all but the one that moves
    const std::uint64_t before = below(shift_of(to));
    word_ = (rest & before) | moved << shift_of(to) | (rest & ~before) << bits;
  }

  std::uint64_t word_ = 0xedcba98765432100;  // nothing taken; slot n at position n
};

}  // namespace perdure::stores

#endif
