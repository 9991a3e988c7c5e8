#include "alloc/superblocks.h"

#include <algorithm>
#include <cstring>

#include "persist/domain.h"
#include "persist/durable.h"
#include "persist/step.h"
#include "pool/refuse.h"

namespace perdure::alloc {

static_assert(static_cast<std::size_t>(Use::first_small) + class_count <= 256);

Superblocks::Superblocks(pool::Mapping& mapping) : mapping_(reserve_metadata(mapping)), descriptors_(mapping) {
  mark_metadata();
  scan();
  require_nothing_beyond_end();
  reserve_what_is_used();
}

void Superblocks::mark_metadata() {
  for (std::uint64_t number = 0; number < pool::first_superblock; ++number) set_use(number, Use::metadata);
  if (const std::uint64_t more = mapping_.header().more_directory; more != 0) set_use(more, Use::metadata);
  for (std::uint64_t segment = 0; segment < mapping_.segment_count(); ++segment) {
    const std::uint64_t holder = descriptors_.holder(segment);
    if (holder == 0) continue;
    if (use(holder) == Use::metadata)
      pool::refuse(
          PoolError::Kind::damaged, mapping_.path(),
          "the directory names superblock " + std::to_string(holder) + " twice. Restore the file from a backup.");
    set_use(holder, Use::metadata);
  }
}

void Superblocks::scan() {
  for (std::uint64_t number = pool::first_superblock; number < count(); ++number) {
    if (use(number) != Use::none) continue;  // metadata, or inside an extent
    const Descriptor descriptor = descriptors_.covers(number) ? descriptors_.get(number) : Descriptor{};
    switch (descriptor.kind) {
      case Descriptor::Kind::none:
        break;
      case Descriptor::Kind::small:
        set_small(number, bin_of(descriptor.size_class, descriptor.layout));
        break;
      case Descriptor::Kind::large:
        scan_run(number, descriptor);
        break;
      case Descriptor::Kind::log:
        set_use(number, Use::log);
        break;
      case Descriptor::Kind::hole:
        map_.set_hole(number, true);
        break;
      case Descriptor::Kind::layouts:
        set_use(number, Use::metadata);
        layout_superblocks_.push_back(number);
        break;
      case Descriptor::Kind::codes:
        set_use(number, Use::metadata);
        code_superblocks_.push_back(number);
        break;
      case Descriptor::Kind::replica:
        scan_replica(number, descriptor);
        continue;  // it has no blocks of its own, and so no layout
    }
    named_layouts_.set(descriptor.layout);
  }
}

/// The pool is made longer, durably, before anything of it is used. So a header that says less is an old one.
void Superblocks::require_nothing_beyond_end() {
  const std::uint64_t last_segment = (count() - 1) / pool::superblocks_per_segment;
  const std::uint64_t end_of_segment = (last_segment + 1) * pool::superblocks_per_segment;
  bool is_used = false;
  for (std::uint64_t number = count(); number < end_of_segment && descriptors_.covers(number); ++number)
    is_used |= descriptors_.get(number).kind != Descriptor::Kind::none;
  for (std::uint64_t segment = last_segment + 1; segment < mapping_.segment_count(); ++segment)
    is_used |= descriptors_.holder(segment) != 0;
  if (is_used)
    pool::refuse(PoolError::Kind::damaged, mapping_.path(),
                 "more of the file is in use than its header says: the header is older than the rest. Restore the file "
                 "from a backup.");
}

void Superblocks::scan_replica(std::uint64_t number, const Descriptor& descriptor) {
  const std::uint64_t original = original_of(descriptor);
  if (original >= count() || original == number)
    pool::refuse(PoolError::Kind::damaged, mapping_.path(),
                 "superblock " + std::to_string(number) + " is a replica of superblock " + std::to_string(original) +
                     ", which cannot have one. Restore the file from a backup.");
  set_use(number, Use::metadata);
  replicas_.push_back({number, original, copy_of(descriptor)});
}

void Superblocks::scan_run(std::uint64_t first, const Descriptor& descriptor) {
  const std::uint32_t extent = descriptor.extent;
  bool sound = extent <= count() - first;
  for (std::uint64_t number = first + 1; sound && number < first + extent; ++number) {
    const auto kind = descriptors_.covers(number) ? descriptors_.get(number).kind : Descriptor::Kind::none;
    sound = use(number) == Use::none && (kind == Descriptor::Kind::none || kind == Descriptor::Kind::small);
  }
  if (!sound)
    pool::refuse(PoolError::Kind::damaged, mapping_.path(),
                 "the large block at superblock " + std::to_string(first) +
                     " overlaps something else. Restore the file from a backup.");
  note_extent(first, extent, descriptor.layout);
}

void Superblocks::finish_rebuild() {
  const std::lock_guard lock(mutex_);
  for (std::uint64_t number = pool::first_superblock; number < count(); ++number) {
    if (use(number) == Use::none && !map_.is_free(number)) map_.release(number, 1);
    if (use(number) == Use::log) idle_logs_.push_back(number);
  }
  add_missing_segments();
  expect_surplus();
}

void Superblocks::add_missing_segments() noexcept {
  const std::uint64_t last = (count() - 1) / pool::superblocks_per_segment;
  for (std::uint64_t segment = 0; segment <= last; ++segment) {
    if (descriptors_.holder(segment) != 0) continue;
    // A segment without descriptors is wholly free, so there is one to take. It may be outside the segment, and in
    // another's: its own word is not used, because the directory says what it is. One that has its disk space: for each
    // such segment there is one.
    const auto holder = map_.find_with_space(1, count());
    map_.take(*holder, 1);
    set_use(*holder, Use::metadata);
    descriptors_.add_segment(segment, *holder);
  }
}

bool Superblocks::grow(std::uint64_t wanted) noexcept {
  const std::uint64_t present = count();
  if (!mapping_.grow(wanted)) return false;
  map_.release(present, count() - present);
  add_missing_segments();
  return true;
}

std::optional<std::uint64_t> Superblocks::take(std::uint64_t extent, std::unique_lock<std::mutex>& lock) noexcept {
  // Growing adds what is wanted, but descriptors may take their place out of it; hence the loop.
  for (;;) {
    if (const auto first = take_free(extent)) return first;
    // What is free at the end is the beginning of what is wanted; unless its disk space is not to be had any more.
    const std::uint64_t at_end = map_.free_before(count());
    if (grow(extent - (at_end < extent ? at_end : map_.with_space_before(count())))) continue;
    if (free_idle_logs()) continue;
    if (being_given_back_ == 0) return std::nullopt;
    // In a moment it is free again.
    lock.unlock();
    giving_back_.lock();
    giving_back_.unlock();
    lock.lock();
  }
}

std::optional<std::uint64_t> Superblocks::take_free(std::uint64_t extent) noexcept {
  auto first = map_.find(extent, count());
  // Where the disk is full, there may be others that have their space.
  if (first && !fill_holes(*first, extent)) first = map_.find_with_space(extent, count());
  if (first) map_.take(*first, extent);
  return first;
}

bool Superblocks::free_idle_logs() noexcept {
  if (idle_logs_.empty()) return false;
  for (const std::uint64_t number : idle_logs_) {
    // Cleared before it is used otherwise: recovery would take its new contents for a log.
    descriptors_.set(number, {});
    set_use(number, Use::none);
    note_free(number, 1);
  }
  idle_logs_.clear();
  return true;
}

std::optional<std::uint64_t> Superblocks::take_small(Bin bin) noexcept {
  std::unique_lock lock(mutex_);
  const auto number = take(1, lock);
  if (!number) return number;
  descriptors_.set(*number, {Descriptor::Kind::small, static_cast<std::uint8_t>(class_of(bin)), 0, layout_of(bin)});
  set_small(*number, bin);
  return number;
}

std::optional<std::uint64_t> Superblocks::take_large(std::uint64_t extent, LayoutNumber layout) noexcept {
  std::unique_lock lock(mutex_);
  const auto first = take(extent, lock);
  if (!first) return first;
  descriptors_.set(*first, {Descriptor::Kind::large, 0, static_cast<std::uint32_t>(extent), layout});
  note_extent(*first, static_cast<std::uint32_t>(extent), layout);
  return first;
}

std::optional<std::uint64_t> Superblocks::take_log() noexcept {
  std::unique_lock lock(mutex_);
  if (!idle_logs_.empty()) {
    const std::uint64_t number = idle_logs_.back();
    idle_logs_.pop_back();
    return number;
  }
  const auto number = take(1, lock);
  if (!number) return number;
  std::byte* const line = address(*number);
  std::memset(line, 0, persistence::line_bytes);
  // Recovery must find an empty log as soon as it finds a log.
  if (mapping_.durable()) persistence::make_durable(line, persistence::line_bytes);
  descriptors_.set(*number, {Descriptor::Kind::log, 0, 0});
  set_use(*number, Use::log);
  return number;
}

std::optional<std::uint64_t> Superblocks::take_for_good(Descriptor::Kind kind) noexcept {
  std::unique_lock lock(mutex_);
  const auto number = take(1, lock);
  if (!number) return number;
  std::memset(address(*number), 0, pool::superblock_bytes);
  persistence::make_durable(address(*number), pool::superblock_bytes);
  descriptors_.set(*number, {kind, 0, 0});
  set_use(*number, Use::metadata);
  return number;
}

bool Superblocks::take_replicas(std::uint64_t original, std::span<std::uint64_t> numbers) noexcept {
  std::unique_lock lock(mutex_);
  for (std::uint64_t& number : numbers) {
    const auto taken = take(1, lock);
    if (!taken) {
      for (const std::uint64_t* unused = numbers.data(); unused != &number; ++unused) note_free(*unused, 1);
      return false;
    }
    number = *taken;
  }
  for (std::uint32_t copy = 1; copy <= numbers.size(); ++copy) describe_as_replica(numbers[copy - 1], original, copy);
  return true;
}

void Superblocks::describe_as_replica(std::uint64_t number, std::uint64_t original, std::uint32_t copy) noexcept {
  // Recovery copies back what it finds in a replica, if that copy counts: it must not find one without contents.
  persistence::in_order<persistence::Step::replica_before_descriptor>(
      [&] {
        std::memcpy(address(number), address(original), pool::superblock_bytes);
        persistence::make_durable(address(number), pool::superblock_bytes);
      },
      [&] {
        persistence::perform<persistence::Step::replica_described>(
            [&] { descriptors_.set(number, describe_replica(original, copy)); });
      });
  set_use(number, Use::metadata);
  replicas_.push_back({number, original, copy});
}

void Superblocks::release_replicas() noexcept {
  const std::lock_guard lock(mutex_);
  for (const Replica& replica : replicas_) {
    // Cleared before it is used otherwise: recovery would copy its new contents to where it was a replica of.
    descriptors_.set(replica.number, {});
    set_use(replica.number, Use::none);
    note_free(replica.number, 1);
  }
  replicas_.clear();
}

std::optional<std::uint64_t> Superblocks::take_for_snapshot(std::uint64_t extent) noexcept {
  std::unique_lock lock(mutex_);
  return take(extent, lock);
}

void Superblocks::hold(std::uint64_t number) noexcept {
  bins_[number].store(Bin::none, std::memory_order_relaxed);
  set_use(number, static_cast<Use>(static_cast<std::size_t>(Use::first_held) + class_of(use(number))));
}

void Superblocks::end_hold(std::uint64_t number) noexcept {
  set_small(number, bin_of(class_of(use(number)), layout(number)));
}

void Superblocks::release_small(std::uint64_t number) noexcept {
  const std::lock_guard lock(mutex_);
  bins_[number].store(Bin::none, std::memory_order_relaxed);
  layouts_[number].store(unknown_layout, std::memory_order_relaxed);
  set_use(number, Use::none);
  note_free(number, 1);
}

void Superblocks::release_large(std::uint64_t first) noexcept {
  const std::lock_guard lock(mutex_);
  const std::uint32_t length = extent(first);
  // Cleared before any of the extent is used otherwise: recovery would take a new block inside for a part of the old
  // one.
  persistence::perform<persistence::Step::large_descriptor_cleared>([&] { descriptors_.set(first, {}); });
  forget_run(first);
  note_free(first, length);
}

void Superblocks::release_log(std::uint64_t number) {
  const std::lock_guard lock(mutex_);
  idle_logs_.push_back(number);
}

void Superblocks::note_free(std::uint64_t first, std::uint64_t count) noexcept {
  map_.release(first, count);
  expect_surplus();
}

void Superblocks::use_features(std::uint64_t features) noexcept {
  const std::lock_guard lock(mutex_);  // growing writes the header, too
  mapping_.use_features(features);
}

std::uint64_t Superblocks::free() const noexcept {
  const std::lock_guard lock(mutex_);
  return map_.free();
}

void Superblocks::set_small(std::uint64_t number, Bin bin) noexcept {
  layouts_[number].store(layout_of(bin), std::memory_order_relaxed);
  set_use(number, small_use(class_of(bin)));
  // Release pairs with the acquire in `bin`, as in `use`.
  bins_[number].store(bin, std::memory_order_release);
}

void Superblocks::note_extent(std::uint64_t first, std::uint32_t length, LayoutNumber layout) noexcept {
  for (std::uint64_t number = first + 1; number < first + length; ++number) {
    set_use(number, Use::large_rest);
    extents_[number].store(static_cast<std::uint32_t>(first), std::memory_order_relaxed);
  }
  layouts_[first].store(layout, std::memory_order_relaxed);
  set_use(first, Use::large);
  extents_[first].store(length, std::memory_order_relaxed);
}

void Superblocks::forget_run(std::uint64_t first) noexcept {
  const std::uint32_t length = extent(first);
  layouts_[first].store(unknown_layout, std::memory_order_relaxed);
  for (std::uint64_t number = first; number < first + length; ++number) set_use(number, Use::none);
}

}  // namespace perdure::alloc
