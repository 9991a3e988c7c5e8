#ifndef PERDURE_TESTS_DISK_MODEL_POOL_H
#define PERDURE_TESTS_DISK_MODEL_POOL_H

#include <array>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "disk/block_memory.h"
#include "disk/checkpoint.h"
#include "disk/log_file.h"
#include "disk/log_ring.h"
#include "disk/superblock.h"
#include "simulate/block_volume.h"

namespace perdure::disk {

/// The least program that needs a log: some words in an image of two pages. Transaction n (1, 2, 3 …) stores n in one
/// of them, in turn, so what a state holds tells which transactions are in it.
struct Words {
  static constexpr std::size_t count = 8;
  std::array<std::uint64_t, count> values{};

  void apply(std::uint64_t transaction) { values[transaction % count] = transaction; }
  static Words after(std::uint64_t transactions);
  bool operator==(const Words&) const = default;
};

/// What the outside world knows: who was told what.
struct Outside {
  bool created = false;
  std::uint64_t acknowledged = 0;  ///< transactions up to this one
  std::uint64_t appended = 0;
};

class ModelPool {
 public:
  static constexpr std::uint64_t ring_blocks = 16;
  static constexpr std::uint64_t superblock_offset = 3 * block_bytes + 4 * sector_bytes;
  static constexpr std::uint64_t page_offset = 4 * block_bytes;
  static constexpr std::uint64_t pages = 2;

  /// \throws PoolError when making a file fails.
  static void create(Volume& volume, SyncMethod method, Outside& outside);

  /// Recovers. What it finds is acknowledged from then on, since programs go by it.
  /// \throws PoolError
  ModelPool(Volume& volume, Outside& outside);

  const Words& words() const { return words_; }
  std::uint64_t transactions() const { return transactions_; }

  /// \throws DurabilityError
  void commit();
  void commit_relaxed();
  void flush();
  /// Two transactions in groups of their own, the second is written first.
  void commit_two_at_once();
  /// \param is_busy  transactions commit between its pages, as long as the log has room.
  void checkpoint(bool is_busy);

 private:
  void make_room();
  std::uint64_t append();
  void acknowledge();
  void replay(std::span<const std::uint64_t> payload);

  Outside& outside_;
  std::unique_ptr<BlockFile> image_;
  std::unique_ptr<BlockFile> log_;
  std::unique_ptr<Superblocks> superblocks_;
  std::unique_ptr<LogRing> ring_;
  Words words_;
  std::uint64_t transactions_ = 0;
  std::vector<std::uint64_t> ends_;  // where the record of a transaction ends, from `first_`
  std::uint64_t first_ = 0;
};

}  // namespace perdure::disk

#endif
