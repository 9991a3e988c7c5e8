#include "alloc/code_names.h"

#include <algorithm>
#include <atomic>
#include <bit>
#include <cstring>

#include "alloc/code_area.h"
#include "persist/durable.h"
#include "persist/step.h"
#include "pool/checksum.h"
#include "pool/refuse.h"

namespace perdure::alloc {

struct CodeNames::Head {
  std::uint64_t used;
  std::uint64_t zero[7];
};

struct CodeNames::Entry {
  std::uint64_t check;
  std::uint32_t place;
  std::uint32_t bytes;
  std::uint32_t point;
  std::uint16_t name_bytes;
  std::uint8_t kind;
  std::uint8_t zero;

  const char* name() const { return reinterpret_cast<const char*>(this + 1); }
};

namespace {

constexpr std::size_t entry_bytes = 24;
constexpr std::size_t room_in_superblock = pool::superblock_bytes - persistence::line_bytes;
constexpr unsigned used_bits = 17;
constexpr std::uint32_t table_alignment = 64;
constexpr std::size_t word_bytes = sizeof(std::uintptr_t);

constexpr std::size_t rounded(std::size_t name_bytes) { return (name_bytes + 7) / 8 * 8; }

std::uint32_t end_of(const CodeName& name) { return name.place + name.reserved(); }

bool is_in_its_part(const CodeName& name) {
  if (name.kind == CodeName::Kind::function) return name.place >= CodeArea::functions && name.place < CodeArea::targets;
  return name.place < CodeArea::functions && name.reserved() <= CodeArea::functions - name.place;
}

bool is_sound(const CodeName& name) {
  if (name.name.empty() || name.name.find('\0') != std::string::npos) return false;
  if (name.kind == CodeName::Kind::function)
    return name.bytes == 0 && name.point == 0 && name.place % CodeArea::function_bytes == 0 && is_in_its_part(name);
  if (name.kind != kind_of_code(name.name, name.bytes) || name.bytes == 0 || name.bytes > CodeNames::max_table_bytes ||
      name.place % table_alignment != 0 || !is_in_its_part(name))
    return false;
  if (is_data(name.kind))
    return name.point == 0 && (name.kind == CodeName::Kind::constant || name.bytes == name.name.size());
  return name.bytes % word_bytes == 0 && name.point % word_bytes == 0 && name.point >= word_bytes &&
         name.point <= name.bytes;
}

}  // namespace

/// A table may get as many functions again, and at least 16 more.
std::uint32_t CodeName::reserved() const noexcept {
  constexpr std::uint32_t more = 128;
  if (kind == Kind::text) return (bytes + table_alignment - 1) / table_alignment * table_alignment;
  return kind == Kind::function ? CodeArea::function_bytes : std::bit_ceil(bytes + std::max(bytes, more));
}

bool CodeName::leads_to(std::uint32_t somewhere) const noexcept {
  return is_data(kind) ? somewhere - place < bytes : somewhere == place + point;
}

CodeNames::CodeNames(Superblocks& superblocks) : superblocks_(superblocks), holders_(superblocks.code_superblocks()) {
  static_assert(sizeof(Entry) == entry_bytes && sizeof(Head) == persistence::line_bytes);
  for (const std::uint64_t number : holders_) read(number);
  std::ranges::sort(names_, {}, &CodeName::place);
  require_disjoint();
}

void CodeNames::read(std::uint64_t superblock) {
  std::byte* const begin = superblocks_.address(superblock);
  auto& head = *reinterpret_cast<Head*>(begin);
  const std::uint64_t word = head.used;
  const std::size_t used = word & ((std::uint64_t{1} << used_bits) - 1);
  // A superblock that was taken a moment before the crash is zero.
  if (word != 0 && (used > room_in_superblock || used % 8 != 0 || word != word_for(head, used))) refuse();
  for (std::size_t offset = 0; offset < used;) {
    const auto& entry = *reinterpret_cast<const Entry*>(begin + sizeof(Head) + offset);
    require_sound_entry(entry, used - offset);
    names_.push_back({std::string(entry.name(), entry.name_bytes), static_cast<CodeName::Kind>(entry.kind), entry.place,
                      entry.bytes, entry.point});
    if (!is_sound(names_.back())) refuse();
    offset += sizeof(Entry) + rounded(entry.name_bytes);
  }
  if (head_ != nullptr && used >= used_) return;
  head_ = &head;
  used_ = used;
}

void CodeNames::require_sound_entry(const Entry& entry, std::size_t room) const {
  const bool fits = room >= sizeof(Entry) && room - sizeof(Entry) >= rounded(entry.name_bytes);
  if (!fits || entry.zero != 0 || entry.check != check_of(entry)) refuse();
}

void CodeNames::require_disjoint() {
  for (std::size_t i = 1; i < names_.size(); ++i)
    if (names_[i].place < end_of(names_[i - 1])) refuse();
  std::vector<std::string_view> spelled(names_.size());
  std::ranges::transform(names_, spelled.begin(), &CodeName::name);
  std::ranges::sort(spelled);
  if (std::ranges::adjacent_find(spelled) != spelled.end()) refuse();
}

void CodeNames::refuse() const {
  pool::refuse(PoolError::Kind::damaged, superblocks_.mapping().path(),
               "the table of names that its code addresses stand for is damaged. Restore the file from a backup.");
}

const CodeName* CodeNames::find(std::string_view name) const noexcept {
  const auto found = std::ranges::find(names_, name, &CodeName::name);
  return found != names_.end() ? &*found : nullptr;
}

const CodeName* CodeNames::at(std::uint32_t place) const noexcept {
  const auto behind = std::ranges::upper_bound(names_, place, {}, &CodeName::place);
  if (behind == names_.begin()) return nullptr;
  const CodeName& name = *(behind - 1);
  return place < end_of(name) ? &name : nullptr;
}

std::uint64_t CodeNames::offset_of(const void* address) const noexcept {
  return static_cast<std::uint64_t>(static_cast<const std::byte*>(address) - superblocks_.address(0));
}

/// Of this place in the pool, so that nothing counts that lies elsewhere.
std::uint64_t CodeNames::check_of(const Entry& entry) const noexcept {
  return pool::checksum(&entry.place, sizeof(Entry) - sizeof entry.check + rounded(entry.name_bytes),
                        pool::mix(offset_of(&entry), 1));
}

std::uint64_t CodeNames::word_for(const Head& head, std::size_t used) const noexcept {
  return pool::mix(offset_of(&head), used) << used_bits | used;
}

const CodeName* CodeNames::add(CodeName name) noexcept {
  const std::size_t bytes = sizeof(Entry) + rounded(name.name.size());
  if (name.name.size() > max_name_bytes || !choose_place(name) || !is_sound(name) || !make_room(bytes)) return nullptr;
  if (is_data(name.kind)) superblocks_.use_features(pool::constants);
  auto* const place = reinterpret_cast<std::byte*>(head_ + 1) + used_;
  std::memset(place, 0, bytes);
  auto& entry = *reinterpret_cast<Entry*>(place);
  entry.place = name.place;
  entry.bytes = name.bytes;
  entry.point = name.point;
  entry.name_bytes = static_cast<std::uint16_t>(name.name.size());
  entry.kind = static_cast<std::uint8_t>(name.kind);
  std::memcpy(place + sizeof(Entry), name.name.data(), name.name.size());
  entry.check = check_of(entry);
  persistence::perform<persistence::Step::code_name_durable>([&] { persistence::make_durable(place, bytes); });
  // Behind the entry, durably; and before the place is stored in an object, so that the object is never there without.
  std::atomic_ref(head_->used).store(word_for(*head_, used_ + bytes), std::memory_order_relaxed);
  persistence::perform<persistence::Step::code_count_durable>([&] { persistence::make_durable(head_->used); });
  used_ += bytes;
  const auto position = std::ranges::upper_bound(names_, name.place, {}, &CodeName::place);
  return &*names_.insert(position, std::move(name));
}

bool CodeNames::make_room(std::size_t bytes) noexcept {
  if (head_ != nullptr && room_in_superblock - used_ >= bytes) return true;
  superblocks_.use_features(pool::codes);
  const auto number = superblocks_.take_codes();
  if (!number) return false;
  holders_.push_back(*number);
  head_ = reinterpret_cast<Head*>(superblocks_.address(*number));
  used_ = 0;
  return true;
}

/// Behind the last one of its part.
bool CodeNames::choose_place(CodeName& name) const noexcept {
  const bool is_function = name.kind == CodeName::Kind::function;
  name.place = is_function ? CodeArea::functions : 0;
  for (const CodeName& other : names_)
    if ((other.kind == CodeName::Kind::function) == is_function) name.place = std::max(name.place, end_of(other));
  name.place = (name.place + table_alignment - 1) / table_alignment * table_alignment;
  return is_in_its_part(name);
}

void CodeNames::settle() const noexcept {
  if (holders_.empty()) return;
  for (const std::uint64_t number : holders_) persistence::settle(superblocks_.address(number), pool::superblock_bytes);
  persistence::complete_changes();
}

}  // namespace perdure::alloc
