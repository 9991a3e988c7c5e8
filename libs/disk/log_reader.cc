#include "disk/log_reader.h"

#include <algorithm>
#include <cstring>
#include <vector>

#include "disk/block_memory.h"
#include "disk/group.h"
#include "persist/fault.h"
#include "pool/refuse.h"

namespace perdure::disk {
namespace {

using Kind = PoolError::Kind;
using persistence::Fault;
using persistence::is_seeded;

/// A part of the ring in memory, read ahead.
class Window {
 public:
  Window(BlockFile& file, std::uint64_t ring_blocks, const std::filesystem::path& path)
      : file_(file),
        path_(path),
        ring_blocks_(ring_blocks),
        memory_(std::min(2 * most_group_blocks, ring_blocks) * block_bytes) {}

  std::uint64_t to_end_of_ring(std::uint64_t block) const { return ring_blocks_ - block % ring_blocks_; }

  /// `count` blocks, which do not go over the end of the ring.
  const std::byte* at(std::uint64_t block, std::uint64_t count) {
    if (block < first_ || block + count > first_ + count_) load(block);
    return memory_.data() + (block - first_) * block_bytes;
  }

 private:
  void load(std::uint64_t block) {
    first_ = block;
    count_ = std::min(memory_.size() / block_bytes, to_end_of_ring(block));
    const int error = file_.read(offset_of_block(block, ring_blocks_), memory_.data(), count_ * block_bytes);
    if (error != 0) pool::refuse_errno(error, path_, "reading its log");
  }

  BlockFile& file_;
  const std::filesystem::path& path_;
  std::uint64_t ring_blocks_;
  BlockMemory memory_;
  std::uint64_t first_ = 0;
  std::uint64_t count_ = 0;
};

class LogReader {
 public:
  LogReader(BlockFile& file, const Superblock& superblock, const std::filesystem::path& path, const RecordSink& take)
      : window_(file, superblock.blocks, path), path_(path), superblock_(superblock), take_(take) {
    end_.point = superblock.begin;
    end_.run = superblock.run;
  }

  LogEnd read() {
    while (const GroupHead* const group = group_that_is_due()) follow(*group);
    if (!is_seeded(Fault::damage_cut_off)) require_unacknowledged();
    return end_;
  }

 private:
  /// What is a group, at this block and in this lap; null otherwise.
  const GroupHead* group_at(std::uint64_t block) {
    const auto& head = *reinterpret_cast<const GroupHead*>(window_.at(block, 1));
    const bool is_old = head.block != block && !is_seeded(Fault::stale_groups_believed);
    if (is_old || head.bytes > most_group_bytes || head.first_record > head.bytes) return nullptr;
    const std::uint64_t blocks = group_blocks(head.bytes);
    if (blocks > window_.to_end_of_ring(block)) return nullptr;
    const auto& whole = *reinterpret_cast<const GroupHead*>(window_.at(block, blocks));
    const bool holds = whole.checksum == right_checksum(whole, seed_of(superblock_.uuid)) ||
                       (is_seeded(Fault::torn_groups_believed) && whole.run != 0);
    return holds ? &whole : nullptr;
  }

  const GroupHead* group_that_is_due() {
    if (end_.point.block - superblock_.begin.block >= superblock_.blocks) return nullptr;
    const GroupHead* const group = group_at(end_.point.block);
    if (group == nullptr || is_seeded(Fault::stale_groups_believed)) return group;
    const bool in_order = group->begins_run != 0 ? group->run > end_.run : group->run == end_.run;
    return in_order && group->position == end_.point.position ? group : nullptr;
  }

  void follow(const GroupHead& group) {
    const auto* const bytes = reinterpret_cast<const std::byte*>(&group + 1);
    if (group.begins_run != 0) stream_.clear();  // its rest was never written
    // The stream begins with a whole record: of one that began before the first group the image holds all.
    const std::uint64_t skipped = end_.groups == 0 ? group.first_record : 0;
    stream_.insert(stream_.end(), bytes + skipped, bytes + group.bytes);
    ++end_.groups;
    end_.run = group.run;
    end_.point = {end_.point.block + group_blocks(group.bytes), group.position + group.bytes};
    hand_out_whole_records();
  }

  void hand_out_whole_records() {
    std::size_t done = 0;
    while (stream_.size() - done >= record_head_bytes) {
      std::uint64_t head = 0;
      std::memcpy(&head, stream_.data() + done, sizeof(head));
      const std::uint64_t bytes = record_bytes(head);
      if (bytes < record_head_bytes || bytes % record_head_bytes != 0) refuse_damaged();
      if (bytes > stream_.size() - done) break;
      payload_.resize(bytes / sizeof(std::uint64_t) - 1);
      std::memcpy(payload_.data(), stream_.data() + done + record_head_bytes, bytes - record_head_bytes);
      done += bytes;
      ++end_.records;
      take_({end_.run, record_tag(head), payload_});
    }
    stream_.erase(stream_.begin(), stream_.begin() + static_cast<std::ptrdiff_t>(done));
  }

  /// The group that is due is not there. If it was never durable, no later one says that it was; and a later one that
  /// says so cannot be farther away than this.
  void require_unacknowledged() {
    const std::uint64_t ring_end = superblock_.begin.block + superblock_.blocks;
    const std::uint64_t end = std::min(ring_end, end_.point.block + (most_in_flight + 1) * most_group_blocks);
    for (std::uint64_t block = end_.point.block; block < end; ++block) {
      const GroupHead* const later = group_at(block);
      if (later != nullptr && later->run >= end_.run && later->durable > end_.point.position) refuse_damaged();
    }
  }

  [[noreturn]] void refuse_damaged() const {
    pool::refuse(Kind::damaged, path_,
                 "its log is damaged in block " + std::to_string(end_.point.block % superblock_.blocks + 1) +
                     ": what was there had been durable, and transactions that were acknowledged are missing. Restore "
                     "the pool and its log from a backup.");
  }

  Window window_;
  const std::filesystem::path& path_;
  const Superblock& superblock_;
  const RecordSink& take_;
  LogEnd end_;
  std::vector<std::byte> stream_;  // that has not been handed out: it begins with a record
  std::vector<std::uint64_t> payload_;
};

}  // namespace

LogEnd read_log(BlockFile& file, const Superblock& superblock, const std::filesystem::path& path,
                const RecordSink& take) {
  if (!is_seeded(Fault::log_not_settled))
    if (const int error = file.sync(); error != 0) pool::refuse_errno(error, path, "flushing its log");
  return LogReader(file, superblock, path, take).read();
}

}  // namespace perdure::disk
