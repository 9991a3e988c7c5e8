#ifndef PERDURE_ALGORITHMS_OREC_LAZY_H
#define PERDURE_ALGORITHMS_OREC_LAZY_H

#include <type_traits>

#include "algorithms/hardware_locking.h"
#include "algorithms/orec_redo.h"
#include "htm/this_processor.h"

namespace perdure::algorithms {

/// Ownership records, redo log, locks taken at commit. (Spear et al., PPoPP'09; Dice et al., TL2; PACT'19, Listing 1,
/// left column.)
template <class ModeType>
class OrecLazy : public OrecRedo<ModeType> {
  using Base = OrecRedo<ModeType>;
  using Base::body_;
  using Base::orecs_;
  using Base::sole_reads_;
  using Base::writes_;

 public:
  constexpr OrecLazy() = default;

  template <class T>
  T read_unwritten(const T* address) {
    if constexpr (ModeType::runs_in_hardware)
      if (body_.is_on()) return body_.read(address);
    return orecs_.consistent_read_unwritten(address);
  }

  template <tx::Memory M, class T>
  T read(const T* address) {
    return writes_.template read<M>(address, [this](const auto* from) {
      if constexpr (ModeType::runs_in_hardware)
        if (body_.is_on()) return body_.read(from);
      return sole_reads_.are_on() ? sole_reads_.read(from) : orecs_.consistent_read(from);
    });
  }

  template <tx::Memory M>
  bool read_stripe(void* to, const void* from, std::size_t bytes) {
    if (writes_.template may_hold<M>(from, bytes)) return false;
    if constexpr (ModeType::runs_in_hardware)
      if (body_.is_on()) return body_.copy(to, from, bytes), true;
    sole_reads_.are_on() ? sole_reads_.copy(to, from, bytes) : orecs_.consistent_copy(to, from, bytes);
    return true;
  }

  template <tx::Memory M, class T>
  void write(T* address, T value) {
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
    if (writes_.empty()) return Base::commit_read_only(captured);
    if (!lock()) return tx::CommitResult::locked;
    return Base::commit_locked(slot, captured);
  }

 private:
  bool lock() {
    if constexpr (ModeType::runs_in_hardware)
      if (body_.is_on()) return body_.lock(orecs_, writes_);
    return sole_reads_.are_on() || locking_.lock(orecs_, writes_);
  }

  [[no_unique_address]] std::conditional_t<ModeType::locks_in_hardware, HardwareLocking<htm::ThisProcessor>,
                                           SoftwareLocking> locking_;
};

}  // namespace perdure::algorithms

#endif
