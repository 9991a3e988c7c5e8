#ifndef PERDURE_ALGORITHMS_OREC_MIXED_H
#define PERDURE_ALGORITHMS_OREC_MIXED_H

#include "algorithms/orec_redo.h"

namespace perdure::algorithms {

/// Ownership records, redo log, locks taken at the first write: so a read that finds its orec not owned need not look
/// into the redo log. (TinySTM write-back, Felber et al., PPoPP'08; Mnemosyne, ASPLOS'11.)
template <class ModeType>
class OrecMixed : public OrecRedo<ModeType> {
  static_assert(!ModeType::runs_in_hardware, "its reads would have to go by HardwareBody");
  using Base = OrecRedo<ModeType>;
  using Base::orecs_;
  using Base::sole_reads_;
  using Base::writes_;

 public:
  constexpr OrecMixed() = default;

  template <class T>
  T read_unwritten(const T* address) {
    return orecs_.consistent_read_unwritten(address);
  }

  template <tx::Memory M, class T>
  T read(const T* address) {
    if (sole_reads_.are_on())
      return writes_.template read<M>(address, [this](const auto* from) { return sole_reads_.read(from); });
    if (!orecs_.owns(address)) return orecs_.consistent_read(address);
    // Nobody else changes what is owned, and when it was locked it was not newer than the start: so memory holds the
    // value of the start time.
    return writes_.template read_own<M>(address);
  }

  template <tx::Memory M>
  bool read_stripe(void* to, const void* from, std::size_t bytes) {
    if (sole_reads_.are_on() ? writes_.template may_hold<M>(from, bytes) : orecs_.owns(from)) return false;
    sole_reads_.are_on() ? sole_reads_.copy(to, from, bytes) : orecs_.consistent_copy(to, from, bytes);
    return true;
  }

  template <tx::Memory M, class T>
  void write(T* address, T value) {
    if (!sole_reads_.are_on())
      orecs_.lock_or_abort(writes_.template chunk_of<M>(address), writes_.template chunk_bytes<M>);
    writes_.template write<M>(address, value);
  }

  /// (tx::AddsWithoutConflict)
  bool add(std::uint64_t* word, std::uint64_t amount) {
    if (!Base::are_reads_noted()) return false;
    write<tx::Memory::pool>(word, Base::lock_and_read(word) + amount);
    return true;
  }

  template <class Captured>
  tx::CommitResult commit(sched::ThreadSlot& slot, const Captured& captured) {
    return writes_.empty() ? Base::commit_read_only(captured) : Base::commit_locked(slot, captured);
  }
};

}  // namespace perdure::algorithms

#endif
