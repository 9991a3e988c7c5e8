#ifndef PERDURE_POOL_SLOTS_H
#define PERDURE_POOL_SLOTS_H

#include <bitset>
#include <filesystem>
#include <optional>

#include "pool/file.h"
#include "pool/window.h"

namespace perdure::pool {

using SlotSet = std::bitset<slot_count>;

/// One slot of the address window, or several side by side, reserved for one pool from construction to destruction:
/// nothing else in the process is mapped there meanwhile.
class Slot {
 public:
  /// Reserves a certain slot, the one at which an existing pool lives.
  /// \throws PoolError (Kind::address_taken), which says by what.
  /// \param count  it, and those that follow. There are so many.
  static Slot claim(std::size_t number, std::size_t count, const std::filesystem::path& path);

  /// Reserves a free slot, the one that `wish` suggests if it is free. Pools that get their slots by chance rather than
  /// in order can probably be open together later.
  /// \throws PoolError (Kind::address_taken) when all slots are in use.
  /// \param unwanted  slots that are left alone even where they are free.
  static Slot claim_any(std::uint64_t wish, std::size_t count, const std::filesystem::path& path,
                        const SlotSet& unwanted = {});

  Slot(Slot&& other) noexcept : number_(std::exchange(other.number_, slot_count)), count_(other.count_) {}
  Slot& operator=(Slot&&) = delete;
  ~Slot();  ///< unmaps whatever is mapped there

  std::size_t number() const noexcept { return number_; }
  std::size_t count() const noexcept { return count_; }
  std::byte* address() const noexcept { return slot_address(number_); }
  std::size_t bytes() const noexcept { return count_ * slot_bytes; }

  /// Notes which pool is mapped here, for messages and for `find_open` and `is_open_twice`.
  void name(const FileIdentity& file, const Uuid& uuid);

 private:
  Slot(std::size_t number, std::size_t count) : number_(number), count_(count) {}
  std::size_t number_;
  std::size_t count_;
};

/// The path of the pool that is open in a slot, or of the last one that was; empty when there was none. For messages.
std::filesystem::path last_path_in(std::size_t slot);

/// Ends the program: it writes to memory of a pool that is no longer open.
[[noreturn]] void stop_at_closed_pool(const void* address);

/// The path by which this process has the file open as a pool.
std::optional<std::filesystem::path> find_open(const FileIdentity& file);

/// Whether this process has several pools mapped that have this UUID: copies of one file.
bool is_open_twice(const Uuid& uuid);

}  // namespace perdure::pool

#endif
