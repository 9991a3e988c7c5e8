#ifndef PERDURE_SYNC_OREC_TABLE_H
#define PERDURE_SYNC_OREC_TABLE_H

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>

#include "htm/transaction.h"

namespace perdure::sync {

/// The value of an ownership record: either the commit timestamp of the last transaction that wrote a location it
/// covers, or the transaction that has it locked.
class OrecValue {
 public:
  static constexpr OrecValue version(std::uint64_t commit_timestamp) { return OrecValue(commit_timestamp); }

  /// \param owner  any address unique to the transaction.
  static OrecValue locked_by(const void* owner) {
    return OrecValue(reinterpret_cast<std::uintptr_t>(owner) | lock_bit);
  }

  OrecValue() = default;
  constexpr bool is_locked() const { return (bits_ & lock_bit) != 0; }
  /// Of an orec that is not locked.
  constexpr std::uint64_t commit_timestamp() const { return bits_; }
  /// Not locked, and not newer. One comparison, since a locked orec is larger than every time.
  constexpr bool is_of(std::uint64_t time) const { return bits_ <= time; }
  bool is_locked_by(const void* owner) const { return bits_ == locked_by(owner).bits_; }
  friend constexpr bool operator==(OrecValue, OrecValue) = default;

 private:
  constexpr explicit OrecValue(std::uint64_t bits) : bits_(bits) {}
  static constexpr std::uint64_t lock_bit = std::uint64_t{1} << 63;
  std::uint64_t bits_;
};

/// An atomic word. (Not std::atomic, of which a million cannot be constant-initialised.)
class Orec {
 public:
  OrecValue load(std::memory_order order) const { return reference().load(order); }
  void store(OrecValue value, std::memory_order order) { reference().store(value, order); }
  bool compare_exchange_strong(OrecValue& expected, OrecValue desired, std::memory_order order) {
    return reference().compare_exchange_strong(expected, desired, order);
  }

  /// In a hardware transaction.
  template <htm::Processor P>
  OrecValue load_on() const {
    return P::load(value_);
  }
  template <htm::Processor P>
  void store_on(OrecValue value) {
    P::store(value_, value);
  }

 private:
  std::atomic_ref<OrecValue> reference() const { return std::atomic_ref(const_cast<OrecValue&>(value_)); }
  OrecValue value_;
};

/// Memory that shares an ownership record.
inline constexpr std::size_t stripe_bytes = 32;

/// Maps each 32-byte stripe of memory to an orec. Stripes share orecs by hashing: a collision costs a false conflict,
/// never correctness. (PACT'19, section III; Riegel et al., "ownership records".)
class OrecTable {
 public:
  static constexpr std::size_t size = std::size_t{1} << 20;

  /// A number for each.
  static std::uint64_t number_of(const Orec& orec) { return reinterpret_cast<std::uintptr_t>(&orec) / sizeof(Orec); }

  Orec& of(const void* address) { return orecs_[(reinterpret_cast<std::uintptr_t>(address) / stripe_bytes) % size]; }

 private:
  std::array<Orec, size> orecs_;
};

/// One table for the program: static and trivial, so it is zero before anything runs, and its pages cost nothing until
/// used.
inline OrecTable orec_table;

}  // namespace perdure::sync

#endif
