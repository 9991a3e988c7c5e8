#include "alloc/descriptor_table.h"

#include <algorithm>
#include <atomic>
#include <cstring>

#include "alloc/size_classes.h"
#include "persist/durable.h"
#include "pool/header.h"
#include "pool/refuse.h"

namespace perdure::alloc {
namespace {

constexpr unsigned run_bits = 22;
static_assert(pool::data_bytes / pool::superblock_bytes < std::uint64_t{1} << run_bits &&
              layout_count == std::size_t{1} << (48 - 38));

[[noreturn]] void refuse_damaged(const pool::Mapping& mapping, const std::string& what) {
  pool::refuse(PoolError::Kind::damaged, mapping.path(),
               what + " is damaged (checksum mismatch). Restore the file from a backup.");
}

bool is_sound(const Descriptor& descriptor) {
  switch (descriptor.kind) {
    case Descriptor::Kind::none:
    case Descriptor::Kind::log:
    case Descriptor::Kind::hole:
    case Descriptor::Kind::layouts:
    case Descriptor::Kind::codes:
      return descriptor.size_class == 0 && descriptor.extent == 0 && descriptor.layout == unknown_layout;
    case Descriptor::Kind::small:
      return descriptor.size_class < class_count && descriptor.extent == 0;
    case Descriptor::Kind::replica:
      return descriptor.size_class < most_replicas_of_one && original_of(descriptor) != 0;
    case Descriptor::Kind::large:
      return descriptor.size_class == 0 && descriptor.extent != 0;
  }
  return false;
}

}  // namespace

Descriptor describe_replica(std::uint64_t original, std::uint32_t copy) noexcept {
  return {Descriptor::Kind::replica, static_cast<std::uint8_t>(copy - 1),
          static_cast<std::uint32_t>(original & ((1U << run_bits) - 1)),
          static_cast<LayoutNumber>(original >> run_bits)};
}

std::uint32_t copy_of(const Descriptor& descriptor) noexcept { return descriptor.size_class + 1U; }

std::uint64_t original_of(const Descriptor& descriptor) noexcept {
  return descriptor.extent | std::uint64_t{descriptor.layout} << run_bits;
}

std::uint64_t encode(std::uint64_t superblock, const Descriptor& descriptor) noexcept {
  const std::uint64_t content = static_cast<std::uint64_t>(descriptor.kind) |
                                std::uint64_t{descriptor.size_class} << 8 | std::uint64_t{descriptor.extent} << 16 |
                                std::uint64_t{descriptor.layout} << (16 + run_bits);
  return content | pool::check_of_descriptor(superblock, content);
}

std::optional<Descriptor> decode(std::uint64_t superblock, std::uint64_t word) noexcept {
  const Descriptor descriptor{static_cast<Descriptor::Kind>(word & 0xff), static_cast<std::uint8_t>(word >> 8),
                              static_cast<std::uint32_t>(word >> 16) & ((1U << run_bits) - 1),
                              static_cast<LayoutNumber>((word & pool::descriptor_content) >> (16 + run_bits))};
  if (!is_sound(descriptor) || encode(superblock, descriptor) != word) return std::nullopt;
  return descriptor;
}

DescriptorTable::DescriptorTable(pool::Mapping& mapping) : mapping_(mapping), holders_(mapping.segment_count()) {
  for (std::uint64_t segment = 0; segment < mapping.segment_count(); ++segment) {
    std::uint64_t holder = 0;
    const std::uint64_t entry = mapping.directory_entry(segment);
    const bool sound = pool::decode_directory_entry(segment, entry, holder) &&
                       (entry == 0 || (holder >= pool::first_superblock && holder < mapping.superblocks()));
    if (!sound || (segment == 0 && entry == 0))
      refuse_damaged(mapping, "entry " + std::to_string(segment) + " of the directory");
    holders_[segment] = static_cast<std::uint32_t>(holder);
  }
}

void DescriptorTable::add_segment(std::uint64_t segment, std::uint64_t holder) noexcept {
  std::byte* const words = pool::superblock_address(mapping_.base(), holder);
  if (checks_free())
    pool::describe_as_free(segment, reinterpret_cast<std::uint64_t*>(words));
  else
    std::memset(words, 0, pool::superblock_bytes);
  // The words are there on the medium before the entry can lead recovery to them.
  if (mapping_.durable()) persistence::make_durable(words, pool::superblock_bytes);
  std::uint64_t& entry = mapping_.directory_entry(segment);
  std::atomic_ref(entry).store(pool::encode_directory_entry(segment, holder), std::memory_order_relaxed);
  // And the entry is durable before a word of the segment is relied on.
  if (mapping_.durable()) persistence::make_durable(entry);
  holders_[segment] = static_cast<std::uint32_t>(holder);
}

std::uint64_t& DescriptorTable::word(std::uint64_t superblock) const noexcept {
  auto* const words = reinterpret_cast<std::uint64_t*>(
      pool::superblock_address(mapping_.base(), holders_[superblock / pool::superblocks_per_segment]));
  return words[superblock % pool::superblocks_per_segment];
}

std::uint64_t DescriptorTable::word_for(std::uint64_t superblock, const Descriptor& descriptor) const noexcept {
  return descriptor.kind == Descriptor::Kind::none && !checks_free() ? 0 : encode(superblock, descriptor);
}

Descriptor DescriptorTable::get(std::uint64_t superblock) const {
  if (word(superblock) == word_for(superblock, {})) return {};
  const auto descriptor = decode(superblock, word(superblock));
  if (!descriptor) refuse_damaged(mapping_, "the descriptor of superblock " + std::to_string(superblock));
  return *descriptor;
}

void DescriptorTable::set(std::uint64_t superblock, const Descriptor& descriptor) noexcept {
  std::uint64_t& target = word(superblock);
  const std::uint64_t wanted = word_for(superblock, descriptor);
  // A word that is there already is durable: each is made so before the next step. Reusing a superblock for what it
  // was costs nothing.
  if (target == wanted) return;
  // Relaxed: one aligned store, which the medium sees whole or not at all. Order comes from the fence that follows.
  std::atomic_ref(target).store(wanted, std::memory_order_relaxed);
  if (mapping_.durable()) persistence::make_durable(target);
}

void DescriptorTable::set_all(std::uint64_t first, std::uint64_t count, const Descriptor& descriptor) noexcept {
  for (std::uint64_t number = first; number < first + count; ++number) {
    std::uint64_t& target = word(number);
    const std::uint64_t wanted = word_for(number, descriptor);
    if (target == wanted) continue;  // durable, as above
    std::atomic_ref(target).store(wanted, std::memory_order_relaxed);
    if (mapping_.durable()) persistence::note_change(&target, sizeof(target));
  }
  if (mapping_.durable()) persistence::complete_changes();
}

void DescriptorTable::clear_from(std::uint64_t first) noexcept {
  const std::uint64_t end = (first / pool::superblocks_per_segment + 1) * pool::superblocks_per_segment;
  if (covers(first)) set_all(first, end - first, {});
}

void DescriptorTable::remove_segment(std::uint64_t segment) noexcept {
  std::uint64_t& entry = mapping_.directory_entry(segment);
  std::atomic_ref(entry).store(0, std::memory_order_relaxed);
  if (mapping_.durable()) persistence::make_durable(entry);
  holders_[segment] = 0;
}

void DescriptorTable::settle() const noexcept {
  persistence::settle(&mapping_.directory_entry(0), sizeof(pool::Directory));
  if (const std::uint64_t more = mapping_.header().more_directory; more != 0)
    persistence::settle(pool::superblock_address(mapping_.base(), more), sizeof(pool::MoreDirectory));
  const std::uint64_t end = mapping_.superblocks();
  for (std::uint64_t first = 0; first < end; first += pool::superblocks_per_segment)
    if (covers(first))
      persistence::settle(&word(first), std::min(end - first, pool::superblocks_per_segment) * sizeof(std::uint64_t));
  persistence::complete_changes();
}

}  // namespace perdure::alloc
