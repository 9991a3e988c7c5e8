#ifndef PERDURE_BENCHMARKS_SLOT_ORDER_H
#define PERDURE_BENCHMARKS_SLOT_ORDER_H

#include <cstddef>
#include <cstdint>

namespace perdure::benchmarks {

/// The order of up to 15 slots, in one word: how many are taken, and which slot comes at which position (Masstree's
/// permutation; Mao, Kohler, Morris, EuroSys'12). An array whose order is kept so stays sorted without ever moving an
/// entry: to insert is to write one free slot and this word.
///
/// The lowest four bits are the size, the next four the slot at position 0, and so on. The positions from the size on
/// hold the free slots, so that every slot is always at exactly one position.
class SlotOrder {
 public:
  static constexpr std::size_t capacity = 15;

  std::size_t size() const { return word_ & nibble_mask; }
  bool is_full() const { return size() == capacity; }
  std::size_t slot(std::size_t position) const { return word_ >> shift_of(position) & nibble_mask; }

  /// Takes a free slot and puts it at `position`, before what was there. There must be a free one.
  /// \returns the slot.
  std::size_t insert(std::size_t position) {
    const std::size_t taken = slot(size());
    word_ = moved(size(), position) + 1;
    return taken;
  }

  /// Frees the slot at `position`.
  void erase(std::size_t position) { word_ = moved(position, size() - 1) - 1; }

  /// Frees all slots from position `size` on.
  void truncate(std::size_t size) { word_ = (word_ & ~nibble_mask) | size; }

 private:
  static constexpr unsigned bits = 4;
  static constexpr std::uint64_t nibble_mask = 15;

  static constexpr unsigned shift_of(std::size_t position) { return static_cast<unsigned>(bits * (position + 1)); }

  static constexpr std::uint64_t below(unsigned shift) { return (std::uint64_t{1} << shift) - 1; }

  // The word with the slot at position `from` taken out and put in at position `to`.
  std::uint64_t moved(std::size_t from, std::size_t to) const {
    const std::uint64_t lower = word_ & below(shift_of(from));
    const std::uint64_t upper = word_ >> bits & ~below(shift_of(from));
    const std::uint64_t rest = lower | upper;
    return (rest & below(shift_of(to))) | std::uint64_t{slot(from)} << shift_of(to) |
           (rest & ~below(shift_of(to))) << bits;
  }

  std::uint64_t word_ = 0xedcba98765432100;  // empty; slot n at position n
};

}  // namespace perdure::benchmarks

#endif
