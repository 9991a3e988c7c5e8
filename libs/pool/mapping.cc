#include "pool/mapping.h"

#include <libpmem.h>
#include <sys/mman.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <utility>

#include "persist/durable.h"
#include "persist/instance.h"
#include "persist/step.h"
#include "pool/foreign_free.h"
#include "pool/fork.h"
#include "pool/header.h"
#include "pool/refuse.h"
#include "pool/size_limit.h"

namespace perdure::pool {
namespace {

using Kind = PoolError::Kind;

constexpr std::uint64_t min_growth = 16;      // 1 MiB
constexpr std::uint64_t max_growth = 1024;    // 64 MiB
constexpr std::uint64_t growth_divisor = 16;  // otherwise a sixteenth of the present size

std::filesystem::path make_absolute(const std::filesystem::path& path) {
  std::error_code unknown;
  std::filesystem::path absolute = std::filesystem::absolute(path, unknown);
  return unknown ? path : absolute.lexically_normal();
}

/// This process first, so that the message can tell the two cases of "in use" apart.
void refuse_open_twice(const std::filesystem::path& path) {
  if (const auto identity = identify(path))
    if (const auto open_as = find_open(*identity))
      refuse(Kind::in_use, path,
             "already open in this process, as '" + open_as->string() + "'. Use that Pool, or close it first.");
}

/// One descriptor superblock can take the place of one of those wanted in each segment that is entered.
std::uint64_t with_descriptors(std::uint64_t present, std::uint64_t wanted) {
  const std::uint64_t segments = (present + wanted) / superblocks_per_segment - (present - 1) / superblocks_per_segment;
  return wanted + segments;
}

}  // namespace

Mapping::Mapping(const std::filesystem::path& path, Slot slot, std::optional<File> file, const Header& header,
                 std::uint64_t size_limit)
    : path_(path),
      absolute_path_(make_absolute(path)),
      file_(std::move(file)),
      slot_(std::move(slot)),
      header_(header),
      superblock_limit_(limit_in_superblocks(size_limit, slot_.count(), path)),
      superblocks_(header.superblocks) {}

Mapping::Mapping(Mapping&& other) noexcept
    : path_(std::move(other.path_)),
      absolute_path_(std::move(other.absolute_path_)),
      file_(std::move(other.file_)),
      slot_(std::move(other.slot_)),
      header_(other.header_),
      superblock_limit_(other.superblock_limit_),
      superblocks_(other.superblocks()),
      medium_(other.medium_),
      created_(other.created_),
      read_only_(other.read_only_),
      repair_(other.repair_),
      makes_holes_(other.makes_holes_),
      good_copy_(other.good_copy_) {}

Mapping Mapping::open(const std::filesystem::path& path, std::uint64_t size_limit) {
  if (is_forked_child()) refuse_in_forked_child(path);
  limit_in_superblocks(size_limit, 1, path);
  if (!instance.durable) return open_volatile(path, size_limit);
  // Another process may create or remove the file between our looking and our creating; then look again.
  for (int attempt = 0; attempt < 3; ++attempt) {
    if (auto existing = open_existing(path, File::Access::writing, size_limit, Placement::at_its_address))
      return std::move(*existing);
    if (auto created = create(path, size_limit)) return std::move(*created);
  }
  refuse(Kind::system, path,
         "neither exists nor can be created. If it is a symbolic link, give the name that it leads to.");
}

Mapping Mapping::open_for_reading(const std::filesystem::path& path) {
  if (is_forked_child()) refuse_in_forked_child(path);
  if (!instance.durable)
    refuse(Kind::usage, path,
           std::string("cannot be read: this program is linked with ") + instance.name +
               ", which keeps pools in volatile memory. Link a durable library.");
  if (auto existing = open_existing(path, File::Access::reading, 0, Placement::at_its_address))
    return std::move(*existing);
  refuse(Kind::system, path, "does not exist, and opening it for reading does not create it. Correct the path.");
}

Mapping Mapping::open_volatile(const std::filesystem::path& path, std::uint64_t size_limit) {
  const auto uuid = make_uuid();
  const std::size_t slots = slots_for(size_limit);
  Slot slot = Slot::claim_any(uuid[0], slots, path);
  const Header header = make_header(reinterpret_cast<std::uintptr_t>(slot.address()), initial_superblocks, uuid, slots);
  Mapping mapping(path, std::move(slot), std::nullopt, header, size_limit);
  mapping.map();
  describe_as_free(0, reinterpret_cast<std::uint64_t*>(superblock_address(mapping.base(), first_superblock)));
  mapping.directory_entry(0) = encode_directory_entry(0, first_superblock);
  return mapping;
}

Mapping Mapping::open_for_moving(const std::filesystem::path& path) {
  if (is_forked_child()) refuse_in_forked_child(path);
  if (auto existing = open_existing(path, File::Access::writing, 0, Placement::anywhere)) return std::move(*existing);
  refuse(Kind::system, path, "does not exist, so it cannot be moved. Correct the path.");
}

Mapping Mapping::open_logged(const std::filesystem::path& path, std::uint64_t size_limit,
                             const std::function<void()>& recover) {
  refuse_open_twice(path);
  auto file = File::open(path, File::Access::writing);
  if (!file) refuse(Kind::system, path, "has been removed while it was being opened. Put it back.");
  recover();
  const FoundHeader found = read_header(file->descriptor(), path, Placement::at_its_address);
  Mapping mapping = place(path, std::move(*file), found, size_limit, Placement::at_its_address);
  mapping.medium_ = Medium::disk;
  mapping.makes_holes_ = false;  // a hole cannot be taken back, and the log may still tell of the last use
  mapping.map();
  return mapping;
}

Mapping Mapping::open_logged_for_reading(const std::filesystem::path& path,
                                         const std::function<void(std::byte*, std::uint64_t)>& replay) {
  if (is_forked_child()) refuse_in_forked_child(path);
  refuse_open_twice(path);
  auto file = File::open(path, File::Access::reading);
  if (!file) refuse(Kind::system, path, "has been removed while it was being opened. Put it back.");
  const FoundHeader found = read_header(file->descriptor(), path, Placement::at_its_address);
  Mapping mapping = place(path, std::move(*file), found, 0, Placement::at_its_address);
  mapping.medium_ = Medium::disk;
  mapping.read_only_ = true;
  mapping.map();
  replay(mapping.base(), mapping.max_bytes());
  // The header may be in the log, too.
  const auto* const copies = reinterpret_cast<const Header*>(mapping.base());
  const auto* const other = reinterpret_cast<const Header*>(mapping.base() + page_bytes);
  for (const Header* const copy : {copies, other})
    if (is_intact(*copy) && copy->generation > mapping.header_.generation) mapping.header_ = *copy;
  mapping.superblocks_ = mapping.header_.superblocks;
  return mapping;
}

std::optional<Mapping> Mapping::open_existing(const std::filesystem::path& path, File::Access access,
                                              std::uint64_t size_limit, Placement placement) {
  refuse_open_twice(path);
  auto file = File::open(path, access);
  if (!file) return std::nullopt;
  const FoundHeader found = read_header(file->descriptor(), path, placement);
  // (Whoever moves it has emptied the log.)
  if ((found.header.incompatible_features & logged) != 0 && placement == Placement::at_its_address)
    refuse(Kind::usage, path, "has a log beside it, which holds a part of it: its file alone is not the pool.");
  Mapping mapping = place(path, std::move(*file), found, size_limit, placement);
  mapping.read_only_ = access == File::Access::reading;
  mapping.map();
  return mapping;
}

Mapping Mapping::place(const std::filesystem::path& path, File file, const FoundHeader& found, std::uint64_t size_limit,
                       Placement placement) {
  const auto& [header, copy, repair] = found;
  const std::size_t slots = slots_of(header);
  Slot slot = placement == Placement::anywhere
                  ? Slot::claim_any(header.uuid[0], slots, path)
                  : Slot::claim(single_slot_of(reinterpret_cast<const void*>(header.address)), slots, path);
  Mapping mapping(path, std::move(slot), std::move(file), header, size_limit);
  mapping.repair_ = repair;
  if (repair) mapping.good_copy_ = copy;
  return mapping;
}

std::optional<Mapping> Mapping::create(const std::filesystem::path& path, std::uint64_t size_limit) {
  const auto uuid = make_uuid();
  const std::size_t slots = slots_for(size_limit);
  Slot slot = Slot::claim_any(uuid[0], slots, path);
  const Header header = make_header(reinterpret_cast<std::uintptr_t>(slot.address()), initial_superblocks, uuid, slots);
  auto file = File::create(path, header);
  if (!file) return std::nullopt;
  Mapping mapping(path, std::move(slot), std::move(file), header, size_limit);
  mapping.created_ = true;
  mapping.map();
  return mapping;
}

void* Mapping::map_shared() {
  constexpr int access = PROT_READ | PROT_WRITE;
  // The kernel grants MAP_SYNC on persistent memory only: there, a line that is flushed is durable. (It does not
  // combine with MAP_FIXED_NOREPLACE, which is why the slot was reserved first.)
  void* const mapped =
      mmap(base(), max_bytes(), access, MAP_SHARED_VALIDATE | MAP_SYNC | MAP_FIXED, file_->descriptor(), 0);
  medium_ = mapped != MAP_FAILED ? Medium::persistent_memory : Medium::page_cache;
  return mapped != MAP_FAILED ? mapped
                              : mmap(base(), max_bytes(), access, MAP_SHARED | MAP_FIXED, file_->descriptor(), 0);
}

/// Only as far as the header says: the pool does not grow, and where memory is not overcommitted each page counts.
void* Mapping::map_privately() {
  medium_ = Medium::page_cache;
  return mmap(base(), superblocks() * superblock_bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_NORESERVE | MAP_FIXED,
              file_->descriptor(), 0);
}

/// All of its slots: the pool grows, and no memory is set aside for what nobody stores to. For a reader, who cannot
/// make the file as long as the log says that it is, other memory follows the file.
void* Mapping::map_for_log() {
  constexpr int flags = MAP_PRIVATE | MAP_NORESERVE | MAP_FIXED;
  std::size_t bytes = max_bytes();
  if (read_only_) {
    void* const behind = mmap(base(), bytes, PROT_READ | PROT_WRITE, flags | MAP_ANONYMOUS, -1, 0);
    if (behind == MAP_FAILED) return behind;
    bytes = std::min<std::uint64_t>(bytes, file_->size() / page_bytes * page_bytes);
  }
  return mmap(base(), bytes, PROT_READ | PROT_WRITE, flags, file_->descriptor(), 0);
}

void Mapping::map() {
  if (file_) slot_.name(identify(*file_), header_.uuid);
  constexpr int anonymous = MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED;
  void* const mapped = !file_        ? mmap(base(), max_bytes(), PROT_READ | PROT_WRITE, anonymous, -1, 0)
                       : is_logged() ? map_for_log()
                       : read_only_  ? map_privately()
                                     : map_shared();
  if (mapped == MAP_FAILED) refuse_errno(errno, path_, "mapping " + spell_bytes(max_bytes()) + " of address space");
  // A forked child would change the file behind its owner's back. Without the mapping it faults instead (pool/fork.h).
  if (file_) madvise(base(), max_bytes(), MADV_DONTFORK);
  explain_foreign_frees();
  // libpmem lets the user vouch for memory that emulates persistent memory (PMEM_IS_PMEM_FORCE=1).
  if (file_ && !read_only_ && !is_logged() && pmem_is_pmem(base(), superblocks() * superblock_bytes) == 1)
    medium_ = Medium::persistent_memory;
}

bool Mapping::grow(std::uint64_t wanted) noexcept {
  const std::uint64_t present = superblocks();
  if (read_only_ || superblock_limit_ <= present) return false;
  const std::uint64_t room = superblock_limit_ - present;
  const std::uint64_t needed = with_descriptors(present, wanted);
  const std::uint64_t step = std::clamp(present / growth_divisor, min_growth, max_growth);
  if (wanted > room) return false;
  if (needed < step && extend_to(present + std::min(step, room))) return true;
  return extend_to(present + std::min(needed, room));
}

bool Mapping::extend_to(std::uint64_t superblocks) noexcept {
  if (file_) {
    const std::uint64_t present = superblocks_.load(std::memory_order_relaxed);
    if (file_->reserve(present * superblock_bytes, superblocks * superblock_bytes) != 0) return false;
    // The file's new length is durable before the header relies on it; otherwise a power failure would leave a pool
    // that looks truncated. (On a page cache a power failure can lose anything anyway, until the pool is closed.)
    if (medium_ == Medium::persistent_memory && file_->sync() != 0) return false;
    header_.superblocks = superblocks;
    write_header();
  }
  // Relaxed: the caller hands out the new superblocks under a lock.
  superblocks_.store(superblocks, std::memory_order_relaxed);
  return true;
}

bool Mapping::grow_to(std::uint64_t superblocks) noexcept {
  if (superblocks <= this->superblocks()) return true;
  return !read_only_ && superblocks <= superblock_limit_ && extend_to(superblocks);
}

bool Mapping::allow_holes() noexcept {
  if (!file_ || read_only_ || !makes_holes_) return false;
  if ((header_.incompatible_features & holes) == 0) makes_holes_ = file_->can_have_holes();
  if (makes_holes_) use_features(holes);
  return makes_holes_;
}

bool Mapping::give_back(std::uint64_t first, std::uint64_t count) noexcept {
  return file_->give_back(first * superblock_bytes, (first + count) * superblock_bytes) == 0;
}

int Mapping::reserve(std::uint64_t first, std::uint64_t count) noexcept {
  if (!file_) return 0;
  if (const int error = file_->reserve(first * superblock_bytes, (first + count) * superblock_bytes)) return error;
  // As where the file grows: what relies on the space comes after it also when power fails.
  return medium_ == Medium::persistent_memory ? file_->sync() : 0;
}

void Mapping::use_features(std::uint64_t features) noexcept {
  if (!file_ || (header_.incompatible_features & features) == features) return;
  header_.incompatible_features |= features;
  write_header();
}

void Mapping::protect() {
  if (mprotect(base(), superblocks() * superblock_bytes, PROT_READ) != 0)
    refuse_errno(errno, path_, "protecting the pool's memory");
}

void Mapping::mark_dirty() {
  if (!file_) return;
  settle_header();
  if (header_.state == State::dirty && !repair_) return;
  header_.state = State::dirty;
  header_.snapshot = header_.snapshot_bytes = header_.snapshot_checksum = header_.run = 0;
  write_header();
  repair_ = false;
  sync("marking the pool as in use");
}

void Mapping::mark_clean(std::uint64_t first, std::uint64_t bytes, std::uint64_t checksum, std::uint64_t run,
                         std::uint64_t superblocks) {
  if (!file_) return;
  // All that the clean state vouches for is on the disk before the state is.
  sync("writing the pool to disk");
  header_.state = State::clean;
  header_.snapshot = first;
  header_.snapshot_bytes = bytes;
  header_.snapshot_checksum = checksum;
  header_.run = run;
  const bool is_shorter = superblocks < header_.superblocks && !is_logged();
  if (is_shorter) header_.superblocks = superblocks;
  // A file must not be shorter than one of the header's copies says. That it cannot be cut does not matter.
  persistence::in_order<persistence::Step::header_before_cut>(
      [&] {
        write_header();
        sync("marking the pool as closed");
      },
      [&] { is_shorter ? cut(superblocks) : void(); });
}

void Mapping::begin_move(std::byte* to, bool moves_unsure) {
  settle_header();
  header_.moving_to = reinterpret_cast<std::uintptr_t>(to);
  header_.moving_to_window_base = window_base;
  header_.moving_to_slot_bytes = slot_.bytes();
  header_.moves_unsure = moves_unsure ? 1 : 0;
  use_features(moving);
  repair_ = false;
  sync("saying that the pool is being moved");
}

void Mapping::end_move() {
  sync("writing the moved pool to disk");
  header_.address = std::exchange(header_.moving_to, 0);
  header_.window_base = std::exchange(header_.moving_to_window_base, 0);
  header_.slot_bytes = std::exchange(header_.moving_to_slot_bytes, 0);
  header_.moves_unsure = 0;
  header_.incompatible_features &= ~moving;
  // The copy of a pool that is open beside it: from now on, they are two.
  if (is_open_twice(header_.uuid)) header_.uuid = make_uuid();
  write_header();
  sync("saying where the pool is now");
}

void Mapping::cut(std::uint64_t superblocks) noexcept {
  superblocks_.store(superblocks, std::memory_order_relaxed);
  file_->cut(superblocks * superblock_bytes);
}

/// A process that was killed may have stored a copy and not flushed it. The copy that counts is durable before the
/// other one changes.
void Mapping::settle_header() noexcept {
  persistence::settle(base(), header_copies * page_bytes);
  persistence::complete_changes();
}

void Mapping::write_header() noexcept {
  ++header_.generation;
  seal(header_);
  // The copy that was found damaged, or an old one, comes first: until it is whole, the other is all there is.
  const auto last = persistence::value<persistence::Step::good_header>(good_copy_);
  const auto write_copy = [&](std::size_t copy) {
    std::byte* const target = base() + copy * page_bytes;
    std::memcpy(target, &header_, sizeof(Header));
    // The second copy may begin to change only when the first is durable: one of them is whole at any moment. The
    // second fence makes the change durable before whatever the caller does on the strength of it.
    persistence::make_durable(target, sizeof(Header));
  };
  write_copy(1 - last);
  persistence::perform<persistence::Step::second_header>([&] { write_copy(last); });
}

void Mapping::sync(const char* purpose) {
  // Where flushed lines are durable, the fences were enough.
  if (medium_ != Medium::page_cache) return;
  if (const int error = file_->sync(); error != 0) refuse_errno(error, path_, purpose);
}

}  // namespace perdure::pool
