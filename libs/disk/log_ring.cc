#include "disk/log_ring.h"

#include <algorithm>
#include <cerrno>
#include <cstring>

#include "perdure/error.h"
#include "persist/fault.h"
#include "sync/futex.h"
#include "sync/spin.h"

namespace perdure::disk {
namespace {

using persistence::Fault;
using persistence::is_seeded;

constexpr std::uint32_t anybody = ~std::uint32_t{0};

std::size_t memory_bytes(std::size_t group_bytes) { return group_blocks(group_bytes) * block_bytes; }

std::array<BlockMemory, most_in_flight> memory_for_groups(std::size_t group_bytes) {
  static_assert(most_in_flight == 4);
  const std::size_t bytes = memory_bytes(group_bytes);
  return {BlockMemory(bytes), BlockMemory(bytes), BlockMemory(bytes), BlockMemory(bytes)};
}

/// When admission ends, what is in the buffer needs room, and what threads append that were admitted.
std::uint64_t headroom_of(std::uint64_t blocks, std::size_t buffer_bytes) {
  return std::min(blocks / 4, 2 * buffer_bytes / block_bytes + blocks / 16);
}

}  // namespace

LogRing::LogRing(BlockFile& file, const std::filesystem::path& path, const Superblock& superblock, const LogEnd& end,
                 const LogUse& use)
    : file_(file),
      path_(path),
      seed_(seed_of(superblock.uuid)),
      blocks_(superblock.blocks),
      method_(superblock.method),
      use_(use),
      window_(method_ == SyncMethod::durable_write ? std::clamp(use.in_flight, 1U, most_in_flight) : 1),
      headroom_(headroom_of(superblock.blocks, use.buffer_bytes)),
      run_(is_seeded(Fault::run_not_begun) ? end.run : end.run + 1),
      buffer_(use.buffer_bytes, end.point.position),
      memory_(memory_for_groups(use.group_bytes)),
      cut_(end.point),
      next_record_(end.point.position),
      durable_(end.point.position),
      next_block_(end.point.block),
      freed_(superblock.begin.block) {}

int LogRing::begin_run() noexcept {
  if (is_seeded(Fault::run_not_begun)) return 0;
  Group* group = &place_for(next_);
  {
    const std::scoped_lock guard(lock_);
    fill_head(*group, 0, 1);
  }
  if (is_seeded(Fault::run_not_durable)) {
    const int error = file_.write(offset_of_block(group->block, blocks_), group->memory->data(), group->bytes);
    complete(*group, error);
    return error;
  }
  lead(*group);
  return error();
}

// -- groups -----------------------------------------------------------------------------------------------------------

/// Blocks from here to the end of the ring, or to what is in use.
std::uint64_t LogRing::room_at(std::uint64_t block) const {
  const std::uint64_t free = blocks_ - (block - freed());
  return std::min(blocks_ - block % blocks_, free);
}

LogRing::Cut LogRing::cut(Group*& group) {
  const std::scoped_lock guard(lock_);
  return cut_locked(group);
}

LogRing::Cut LogRing::cut_locked(Group*& group) {
  if (next_ - oldest_ == window_) return Cut::window_full;
  const std::uint64_t room = room_at(cut_.block);
  if (room == 0) return Cut::log_full;
  const std::uint64_t bytes = std::min<std::uint64_t>(use_.group_bytes, room * block_bytes - sizeof(GroupHead));
  const std::uint64_t first_record = next_record_;
  next_record_ = buffer_.published_from(next_record_, cut_.position + bytes);
  const std::uint64_t end = std::min(next_record_, cut_.position + bytes);
  if (end == cut_.position) return Cut::nothing_published;

  group = &place_for(next_);
  std::byte* const memory = memory_[next_ % most_in_flight].data();
  buffer_.take(cut_.position, end, memory + sizeof(GroupHead));
  auto& head = *reinterpret_cast<GroupHead*>(memory);
  head.first_record = static_cast<std::uint32_t>(std::min(first_record, end) - cut_.position);
  fill_head(*group, end - cut_.position, 0);
  return Cut::made;
}

/// Behind the head lie the bytes already. The group is in flight now.
void LogRing::fill_head(Group& group, std::uint64_t bytes, std::uint64_t begins_run) {
  const std::uint64_t used = sizeof(GroupHead) + bytes;
  BlockMemory& memory = memory_[next_ % most_in_flight];
  group = {&memory, next_, cut_.block, cut_.position + bytes, group_blocks(bytes) * block_bytes, false};
  std::memset(memory.data() + used, 0, group.bytes - used);
  auto& head = memory.as<GroupHead>();
  head = {0,
          run_,
          cut_.block,
          cut_.position,
          is_seeded(Fault::vouched_early) ? cut_.position : durable(),
          static_cast<std::uint32_t>(bytes),
          begins_run != 0 ? 0 : head.first_record,
          begins_run,
          0};
  ++next_;
  // Whole blocks: this one is not written again, whatever comes.
  cut_ = {cut_.block + group.bytes / block_bytes, group.end};
  // Release: what is used is never less than what a thread that sees the group knows of.
  next_block_.store(cut_.block, std::memory_order_release);
}

/// What a log does whose groups do not end with a block: for the tests.
void LogRing::rewrite_last_block(const Group& group) noexcept {
  const std::size_t before = group.bytes - block_bytes;
  const std::uint64_t offset = offset_of_block(group.block, blocks_) + before;
  if (const int error = file_.write(offset, group.memory->data() + before, block_bytes); error != 0) poison(error);
}

int LogRing::write(Group& group) noexcept {
  auto& head = group.memory->as<GroupHead>();
  head.checksum = right_checksum(head, seed_);
  const std::uint64_t offset = offset_of_block(group.block, blocks_);
  if (is_seeded(Fault::blocks_rewritten) && group.number != 0) rewrite_last_block(place_for(group.number - 1));
  if (is_seeded(Fault::acknowledged_unflushed)) return file_.write(offset, group.memory->data(), group.bytes);
  if (method_ == SyncMethod::durable_write) return file_.write_durably(offset, group.memory->data(), group.bytes);
  if (const int error = file_.write(offset, group.memory->data(), group.bytes); error != 0) return error;
  const int error = file_.sync();
  if (error != 0 && is_seeded(Fault::sync_again)) return file_.sync();
  return error;
}

/// Groups become durable in their order.
void LogRing::complete(Group& group, int error) noexcept {
  if (error != 0) poison(error);
  std::uint64_t was_oldest = 0;
  std::uint64_t oldest = 0;
  std::uint64_t next = 0;
  {
    const std::scoped_lock guard(lock_);
    was_oldest = oldest_;
    group.is_written = true;
    if (is_seeded(Fault::durable_out_of_order)) durable_.store(std::max(durable(), group.end));
    if (error_ == 0)
      for (; oldest_ != next_ && place_for(oldest_).is_written; ++oldest_)
        // Release: pairs with `durable`.
        durable_.store(std::max(durable(), place_for(oldest_).end), std::memory_order_release);
    oldest = oldest_;
    next = next_;
  }
  if (oldest != was_oldest) {
    wake_up(was_oldest, oldest, next);
    if (use_.on_durable) use_.on_durable();
  }
  if (use_.on_filling && used_blocks() * 100 >= blocks_ * use_.checkpoint_percent) use_.on_filling();
}

/// Those whose group is durable; and of those who wait for the next group one, which writes it: there is room for a
/// group in flight now. It is woken though it may find that another has been faster; then that group is in flight, and
/// its end wakes the next. The words change under no lock, but behind one that who waits has taken before it read them.
void LogRing::wake_up(std::uint64_t first, std::uint64_t end, std::uint64_t next) noexcept {
  for (std::uint64_t number = first; number != end; ++number) {
    turn_of(number).fetch_add(1, std::memory_order_release);
    sync::wake(turn_of(number), anybody);
  }
  turn_of(next).fetch_add(1, std::memory_order_release);
  sync::wake(turn_of(next), anybody, 1);
}

void LogRing::lead(Group& group) noexcept {
  if (is_seeded(Fault::acknowledged_unwritten)) {
    Group late = group;
    complete(group, 0);
    if (const int error = write(late); error != 0) poison(error);
    return;
  }
  complete(group, write(group));
}

// -- waiting ----------------------------------------------------------------------------------------------------------

/// The first group in flight that ends there or behind.
std::uint64_t LogRing::number_of_group_with(std::uint64_t position) {
  std::uint64_t number = oldest_;
  while (number != next_ && place_for(number).end < position) ++number;
  return number;
}

/// While groups are in flight, the next one waits until it has as much as they have: so few threads write side by side,
/// and many write few groups, of half of them each. (A device that has four writes in flight takes longer for each of
/// them.) Who waits need not be woken for that: the thread that makes it enough writes.
bool LogRing::is_worth_a_group() const {
  return oldest_ == next_ || buffer_.reserved() - cut_.position >= cut_.position - durable();
}

LogRing::Turn LogRing::next_turn(std::uint64_t position) {
  Turn turn;
  const std::scoped_lock guard(lock_);
  if (is_durable(position)) {
    turn.otherwise = Cut::made;  // by another thread
    return turn;
  }
  if (position > cut_.position && is_worth_a_group()) turn.otherwise = cut_locked(turn.lead);
  // Read under the lock, which `complete` takes before it changes the word: so no change is missed.
  turn.number = position > cut_.position ? next_ : number_of_group_with(position);
  turn.seen = turn_of(turn.number).load(std::memory_order_relaxed);
  return turn;
}

void LogRing::await(std::uint64_t position, bool for_checkpoint) {
  sync::Spinner spinner;
  while (!is_durable(position)) {
    const std::uint64_t freed_before = freed();
    const Turn turn = next_turn(position);
    require_sound();
    if (turn.lead != nullptr)
      lead(*turn.lead);
    else if (turn.otherwise == Cut::made)
      continue;
    else if (turn.otherwise == Cut::nothing_published)
      spinner.wait();  // for a thread that is copying its record
    else if (turn.otherwise == Cut::window_full)
      sync::sleep_while(turn_of(turn.number), turn.seen, anybody);
    else if (!for_checkpoint)
      sleep_until_freed(freed_before);
    else
      poison(ENOSPC);  // only a checkpoint makes room, and this one cannot
  }
}

bool LogRing::make_room(std::uint64_t end) {
  sync::Spinner spinner;
  while (!buffer_.has_room(end)) {
    if (error() != 0) return false;
    Group* group = nullptr;
    if (cut(group) == Cut::made)
      lead(*group);
    else
      spinner.wait();
  }
  return true;
}

void LogRing::wait_for_space() {
  for (;;) {
    require_sound();
    const std::uint64_t before = freed();
    if (free_blocks() >= headroom_) return;
    if (use_.on_filling) use_.on_filling();
    sleep_until_freed(before);
  }
}

void LogRing::sleep_until_freed(std::uint64_t freed_before) {
  const std::uint32_t seen = space_.load(std::memory_order_acquire);
  if (freed() == freed_before && error() == 0) sync::sleep_while(space_, seen, anybody);
}

// -- checkpoints and errors -------------------------------------------------------------------------------------------

LogPoint LogRing::mark() {
  const std::scoped_lock guard(lock_);
  return cut_;
}

void LogRing::free_before(const LogPoint& point) noexcept {
  freed_.store(point.block, std::memory_order_release);
  space_.fetch_add(1, std::memory_order_release);
  sync::wake(space_, anybody);
}

void LogRing::poison(int error) noexcept {
  int none = 0;
  if (is_seeded(Fault::error_ignored)) return;
  error_.compare_exchange_strong(none, error, std::memory_order_acq_rel);
  for (TurnWord& turn : turns_) {
    turn.word.fetch_add(1, std::memory_order_release);
    sync::wake(turn.word, anybody);
  }
  space_.fetch_add(1, std::memory_order_release);
  sync::wake(space_, anybody);
}

void LogRing::require_sound() const {
  const int failed = error();
  if (failed == 0) return;
  throw DurabilityError("pool '" + path_.string() + "': its log cannot be written: " + std::strerror(failed) +
                        ". Nothing becomes durable any more. Repair the disk or make room on it, then open the pool "
                        "again: it is recovered, with every transaction that was durable.");
}

}  // namespace perdure::disk
