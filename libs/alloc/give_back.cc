// The disk space of superblocks that are free: given back to the file system, and reserved again.
#include <algorithm>
#include <cerrno>

#include "alloc/superblocks.h"
#include "persist/domain.h"
#include "persist/step.h"
#include "pool/header.h"
#include "pool/refuse.h"
#include "stats/counters.h"

namespace perdure::alloc {
namespace {

#ifdef PERDURE_SIMULATED
constexpr std::uint64_t min_spare = 8;
#else
constexpr std::uint64_t min_spare = 64;  // 4 MiB
#endif
constexpr std::uint64_t max_spare = 1024;    // 64 MiB
constexpr std::uint64_t spare_divisor = 16;  // otherwise a sixteenth of what is in use: as much as the pool grows by
constexpr std::uint64_t most_at_once = 256;  // 16 MiB: who needs one of them waits that long, if there are no others

/// The simulator lays files out otherwise than by reserving space.
std::uint64_t missing_bytes(const pool::Mapping& mapping) {
  const std::uint64_t bytes = mapping.superblocks() * pool::superblock_bytes;
  return persistence::is_simulated ? 0 : bytes - std::min(bytes, mapping.file()->disk_bytes(bytes));
}

bool may_lack_space(const pool::Mapping& mapping) {
  return mapping.file() != nullptr && !mapping.read_only() && !mapping.created() && missing_bytes(mapping) != 0;
}

void reserve(pool::Mapping& mapping, std::uint64_t first, std::uint64_t count) {
  if (const int error = mapping.reserve(first, count))
    pool::refuse_errno(error, mapping.path(), "reserving the disk space of the file's holes");
}

}  // namespace

// -- in an existing file ----------------------------------------------------------------------------------------------

/// Before anything is looked at: where the disk is full, a look at a hole can end the process.
pool::Mapping& Superblocks::reserve_metadata(pool::Mapping& mapping) {
  if (!may_lack_space(mapping)) return mapping;
  reserve(mapping, 0, pool::first_superblock);
  if (const std::uint64_t more = mapping.header().more_directory; more != 0) reserve(mapping, more, 1);
  for (std::uint64_t segment = 0; segment < mapping.segment_count(); ++segment) {
    std::uint64_t holder = 0;
    const bool sound = pool::decode_directory_entry(segment, mapping.directory_entry(segment), holder);
    if (sound && holder != 0 && holder < mapping.superblocks()) reserve(mapping, holder, 1);
  }
  return mapping;
}

/// Where more is missing than the descriptors say, the file was copied by somebody who makes holes of zeros, or a crash
/// came while the file was to be cut. What is free for certain can stay without space, like what was given back.
void Superblocks::reserve_what_is_used() {
  if (!may_lack_space(mapping_) || missing_bytes(mapping_) <= map_.holes() * pool::superblock_bytes) return;
  // Where a segment has no descriptors, one superblock is needed for them.
  const auto needs_space = [&](std::uint64_t number) {
    return use(number) != Use::none || (number % pool::superblocks_per_segment == 0 && !descriptors_.covers(number));
  };
  for (std::uint64_t number = 0; number < count();) {
    std::uint64_t end = number;
    while (end < count() && needs_space(end)) ++end;
    if (end != number) reserve(mapping_, number, end - number);
    for (; end < count() && !needs_space(end); ++end) map_.set_hole(end, true);
    number = end;
  }
}

// -- taking -----------------------------------------------------------------------------------------------------------

bool Superblocks::fill_holes(std::uint64_t first, std::uint64_t extent) noexcept {
  std::uint64_t hole = first;
  while (hole < first + extent && !map_.is_hole(hole)) ++hole;
  if (hole == first + extent) return true;
  // As much as makes this as rare as growing: the free ones that follow, too.
  std::uint64_t end = first + extent;
  const std::uint64_t wanted = std::min(hole + spare(), count());
  while (end < wanted && map_.is_free(end)) ++end;
  return fill(hole, end - hole) || (end != first + extent && fill(hole, first + extent - hole));
}

/// Reserves space first, then says so. A crash in between leaves a superblock that is said to have none.
bool Superblocks::fill(std::uint64_t first, std::uint64_t count) noexcept {
  if (mapping_.reserve(first, count) != 0) return false;
  for (std::uint64_t number = first; number < first + count; ++number) {
    std::uint64_t end = number;
    for (; end < first + count && map_.is_hole(end); ++end) map_.set_hole(end, false);
    if (end == number) continue;
    persistence::perform<persistence::Step::hole_descriptor_cleared>(
        [&] { descriptors_.set_all(number, end - number, {}); });
    number = end;
  }
  return true;
}

int Superblocks::reserve_to(std::uint64_t superblocks) noexcept {
  const std::lock_guard lock(mutex_);
  for (std::uint64_t number = pool::first_superblock; number < std::min(superblocks, count()); ++number) {
    std::uint64_t end = number;
    while (end < std::min(superblocks, count()) && map_.is_hole(end)) ++end;
    if (end != number && !fill(number, end - number)) return ENOSPC;
    number = end;
  }
  if (superblocks <= count()) return 0;
  const std::uint64_t present = count();
  if (!mapping_.grow_to(superblocks)) return ENOSPC;
  map_.release(present, count() - present);
  add_missing_segments();
  return 0;
}

// -- giving back ------------------------------------------------------------------------------------------------------

/// What stays at hand.
std::uint64_t Superblocks::spare() const noexcept {
  return std::clamp((count() - map_.free()) / spare_divisor, min_spare, max_spare);
}

/// Twice as much as stays, so that what is given back is not what is wanted next.
void Superblocks::expect_surplus() noexcept {
  if (with_space() > std::max(surplus_from_, 2 * spare())) has_surplus_.store(true, std::memory_order_relaxed);
}

std::uint64_t Superblocks::give_back(GiveBack how_much) noexcept {
  const std::unique_lock giving(giving_back_, std::try_to_lock);
  if (!giving.owns_lock()) return 0;
  std::uint64_t bytes = 0;
  for (Extent extent = next_to_give_back(how_much); extent.count != 0; extent = next_to_give_back(how_much)) {
    // Not under the lock: others allocate meanwhile.
    const bool is_hole = make_hole(extent);
    {
      const std::lock_guard lock(mutex_);
      for (std::uint64_t number = extent.first; number < extent.first + extent.count; ++number)
        map_.set_hole(number, true);
      map_.release(extent.first, extent.count);
      being_given_back_ = 0;
    }
    if (is_hole) bytes += extent.count * pool::superblock_bytes;
    if (!is_hole || how_much == GiveBack::some) break;
  }
  stats::counters.bytes_given_back.add(bytes);
  return bytes;
}

Extent Superblocks::next_to_give_back(GiveBack how_much) noexcept {
  const std::lock_guard lock(mutex_);
  const std::uint64_t spare = how_much == GiveBack::everything ? 0 : this->spare();
  Extent extent{0, 0};
  if (with_space() > spare && mapping_.allow_holes()) {
    const std::uint64_t begin = std::max(pool::first_superblock, mapping_.header().kept);
    extent = map_.highest_with_space(begin, count(), std::min(with_space() - spare, most_at_once));
  }
  if (extent.count == 0) {
    // Some of what is left may have to stay; the next look is worth while when there is more.
    surplus_from_ = with_space() + this->spare();
    has_surplus_.store(false, std::memory_order_relaxed);
    return extent;
  }
  map_.take(extent.first, extent.count);
  being_given_back_ = extent.count;
  return extent;
}

/// Says so first, then gives the space back. A crash in between leaves a superblock that is said to have none.
bool Superblocks::make_hole(const Extent& extent) noexcept {
  descriptors_.set_all(extent.first, extent.count, {Descriptor::Kind::hole, 0, 0});
  return mapping_.give_back(extent.first, extent.count);
}

std::uint64_t Superblocks::holes() const noexcept {
  const std::lock_guard lock(mutex_);
  return map_.holes();
}

// -- the end of the file ----------------------------------------------------------------------------------------------

void Superblocks::give_up_idle_logs(GiveBack how_much) noexcept {
  const std::lock_guard lock(mutex_);
  if (how_much == GiveBack::everything || idle_logs_.size() > spare()) free_idle_logs();
}

bool Superblocks::may_be_cut(GiveBack how_much, std::uint64_t number) const noexcept {
  return map_.is_free(number) && (how_much == GiveBack::everything || map_.is_hole(number));
}

std::uint64_t Superblocks::end_of_use(GiveBack how_much, std::uint64_t least, std::uint64_t end) const noexcept {
  while (end > least && may_be_cut(how_much, end - 1)) --end;
  return end;
}

/// Removes a segment that would end up behind `end`, or of which nothing but its descriptors is before.
bool Superblocks::remove_last_segment(GiveBack how_much, std::uint64_t least, std::uint64_t end) noexcept {
  std::uint64_t segment = (count() - 1) / pool::superblocks_per_segment;
  while (segment != 0 && descriptors_.holder(segment) == 0) --segment;
  const std::uint64_t holder = descriptors_.holder(segment);
  const std::uint64_t first = segment * pool::superblocks_per_segment;
  if (segment == 0 || first < least) return false;
  for (std::uint64_t number = first; number < end; ++number)
    if (number != holder && !may_be_cut(how_much, number)) return false;
  descriptors_.remove_segment(segment);
  set_use(holder, Use::none);
  map_.release(holder, 1);
  if (holder >= first) map_.set_hole(holder, true);  // whatever it has goes with the rest of the segment
  return true;
}

std::uint64_t Superblocks::clear_tail(GiveBack how_much, std::uint64_t least) noexcept {
  const std::lock_guard lock(mutex_);
  least = std::max({least, mapping_.header().kept, pool::first_superblock + 1});
  std::uint64_t end = end_of_use(how_much, least, count());
  if (end == count()) return end;
  while (remove_last_segment(how_much, least, end)) end = end_of_use(how_much, least, end);
  persistence::perform<persistence::Step::tail_descriptors_cleared>([&] { descriptors_.clear_from(end); });
  return end;
}

}  // namespace perdure::alloc
