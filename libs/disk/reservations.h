#ifndef PERDURE_DISK_RESERVATIONS_H
#define PERDURE_DISK_RESERVATIONS_H

#include <cstdint>
#include <deque>

namespace perdure::disk {

/// Blocks of a log's ring that are kept free for records which are in no group yet. In the worst case each record has a
/// group of its own, and lies in two at the end of the ring; so whatever is appended finds room, and no thread between
/// `admit` and `leave` waits for a checkpoint, which would wait for it. (The caller has a lock.)
class Reservations {
 public:
  std::uint64_t blocks() const { return blocks_; }

  /// For a record that is about to be appended.
  void add(std::uint64_t blocks) { blocks_ += blocks; }
  /// It is appended, before `position`; or there will be none.
  void end_at(std::uint64_t position, std::uint64_t blocks) {
    if (!ended_.empty() && ended_.back().position == position)
      ended_.back().blocks += blocks;
    else
      ended_.push_back({position, blocks});
  }
  /// What is durable is in a group.
  void release(std::uint64_t durable) {
    for (; !ended_.empty() && ended_.front().position <= durable; ended_.pop_front()) blocks_ -= ended_.front().blocks;
  }

 private:
  struct Ended {
    std::uint64_t position;
    std::uint64_t blocks;
  };

  std::uint64_t blocks_ = 0;
  std::deque<Ended> ended_;  // in the order of their positions
};

}  // namespace perdure::disk

#endif
