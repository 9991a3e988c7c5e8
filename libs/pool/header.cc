#include "pool/header.h"

#include <sys/random.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <ctime>

#include "persist/instance.h"
#include "pool/checksum.h"
#include "pool/refuse.h"

namespace perdure::pool {
namespace {

using Kind = PoolError::Kind;
using Copies = std::array<Header, header_copies>;

const char* const restore = "Restore it from a backup, or remove it to start with an empty pool.";

/// What there is of both copies; bytes beyond the end of the file are zero. \returns 0 or an errno.
int read_copies(int file, Copies& copies) {
  auto* const bytes = reinterpret_cast<char*>(copies.data());
  for (std::size_t done = 0; done < sizeof(copies);) {
    const ssize_t got = pread(file, bytes + done, sizeof(copies) - done, static_cast<off_t>(done));
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) return errno;
    if (got == 0) break;
    done += static_cast<std::size_t>(got);
  }
  return 0;
}

/// Null when no copy counts.
const Header* newer_intact(const Copies& copies) {
  const Header* best = nullptr;
  for (const Header& copy : copies)
    if (is_intact(copy) && (best == nullptr || copy.generation > best->generation)) best = &copy;
  return best;
}

[[noreturn]] void refuse_without_intact_copy(const Copies& copies, std::uint64_t file_bytes,
                                             const std::filesystem::path& path) {
  if (file_bytes == 0)
    refuse(Kind::not_a_pool, path, "the file is empty, not a pool. Remove it to create a pool here.");
  const bool has_magic =
      std::any_of(copies.begin(), copies.end(), [](const Header& copy) { return copy.magic == magic; });
  if (!has_magic)
    refuse(Kind::not_a_pool, path, "the file is not a Perdure pool. Give another path, or remove the file.");
  if (file_bytes < sizeof(copies))
    refuse(Kind::truncated, path,
           "truncated: the file ends in its header, after " + spell_bytes(file_bytes) + ". " + restore);
  refuse(Kind::damaged, path, std::string("both copies of the header are damaged (checksum mismatch). ") + restore);
}

void require_known_version(const Header& header, const std::filesystem::path& path) {
  if (header.version != format_version)
    refuse(Kind::wrong_version, path,
           "made in version " + std::to_string(header.version) + " of the format; this program reads version " +
               std::to_string(format_version) + ". Open it with a matching version of Perdure.");
  require_known_features(header, path);
}

bool has_sound_move(const Header& header) {
  if ((header.incompatible_features & moving) == 0) return header.moving_to == 0;
  return header.state == State::clean && header.moving_to != 0 && header.moving_to != header.address &&
         header.superblocks <= header.moving_to_slot_bytes / superblock_bytes;
}

bool has_sound_size(const Header& header) {
  const std::uint64_t directory = header.more_directory;
  if (!is_large(header)) return directory == 0;
  return directory >= first_superblock && directory < header.superblocks;
}

void require_sound_fields(const Header& header, const std::filesystem::path& path) {
  const bool sound =
      header.magic == magic && header.header_bytes == sizeof(Header) && header.superblock_bytes == superblock_bytes &&
      (header.granularity == 32 || header.granularity == 64) &&
      (header.state == State::clean || header.state == State::dirty) && header.superblocks > first_superblock &&
      header.superblocks <= header.slot_bytes / superblock_bytes &&
      header.kept <= header.slot_bytes / superblock_bytes && has_sound_move(header) && has_sound_size(header);
  if (!sound) refuse(Kind::damaged, path, std::string("the header contradicts itself. ") + restore);
}

/// Wherever it lives: this program has room for it.
void require_room(const Header& header, const std::filesystem::path& path) {
  const std::uint64_t slots = slots_of(header);
  const std::uint64_t most = data_bytes_in(std::min<std::uint64_t>(slots, most_slots_of_pool));
  if (slots > most_slots_of_pool || header.superblocks > most / superblock_bytes)
    refuse(Kind::address_taken, path,
           "has " + spell_bytes(header.superblocks * superblock_bytes) + ", and such a pool of this program at most " +
               spell_bytes(most) + ". Open it with a program like the one that made it.");
}

void require_this_window(const Header& header, const std::filesystem::path& path) {
  const std::uint64_t slots = slots_of(header);
  const bool same = header.window_base == window_base && header.slot_bytes == slots * slot_bytes &&
                    slots <= most_slots_of_pool && in_window(reinterpret_cast<const void*>(header.address)) &&
                    (header.address - window_base) % slot_bytes == 0 &&
                    header.address - window_base <= window_bytes - header.slot_bytes;
  if (!same)
    refuse(Kind::address_taken, path,
           "lives at address " + spell_address(header.address) + ", but pools of this program live between " +
               spell_address(window_base) + " and " + spell_address(window_base + window_bytes) +
               ". It was made by a program built otherwise (for example for ThreadSanitizer). Open it with such a one, "
               "or for "
               "writing, which moves it.");
}

/// Otherwise some of its pointers lead to one address and some to another.
void require_one_address(const Header& header, const std::filesystem::path& path) {
  if ((header.incompatible_features & moving) != 0)
    refuse(Kind::address_taken, path,
           "its move from address " + spell_address(header.address) + " to " + spell_address(header.moving_to) +
               " was cut short. Open it for writing, or run perdure relocate, to complete that.");
}

void require_this_granularity(const Header& header, const std::filesystem::path& path) {
  if (header.granularity < instance.granularity)
    refuse(Kind::wrong_version, path,
           "its blocks are aligned to " + std::to_string(header.granularity) + " bytes, but " + instance.name +
               " logs chunks of " + std::to_string(instance.granularity) +
               ". Open it with a library of that granularity or a finer one.");
}

void require_whole_file(const Header& header, std::uint64_t file_bytes, const std::filesystem::path& path) {
  const std::uint64_t expected = header.superblocks * superblock_bytes;
  if (file_bytes < expected)
    refuse(Kind::truncated, path,
           "truncated: the file has " + std::to_string(file_bytes) + " bytes, its header says " +
               std::to_string(expected) + ". " + restore);
}

}  // namespace

void seal(Header& header) noexcept { header.checksum = checksum(&header, offsetof(Header, checksum)); }

bool is_intact(const Header& header) noexcept {
  return header.magic == magic && header.checksum == checksum(&header, offsetof(Header, checksum));
}

Header make_header(std::uint64_t address, std::uint64_t superblocks, const Uuid& uuid, std::size_t slots) {
  Header header{};
  header.magic = magic;
  header.version = format_version;
  header.header_bytes = sizeof(Header);
  header.uuid = uuid;
  header.address = address;
  header.window_base = window_base;
  header.slot_bytes = slots * slot_bytes;
  header.superblock_bytes = superblock_bytes;
  header.granularity = static_cast<std::uint32_t>(std::max<std::size_t>(32, instance.granularity));
  header.created = static_cast<std::uint64_t>(std::time(nullptr));
  header.incompatible_features = checked_watermark | checked_free;
  if (slots > 1) {
    header.incompatible_features |= large;
    header.more_directory = first_superblock + 1;
  }
  std::strncpy(header.created_by.data(), instance.name, header.created_by.size() - 1);
  header.generation = 1;
  header.state = State::dirty;
  header.superblocks = superblocks;
  seal(header);
  return header;
}

std::optional<Header> find_header(int file) {
  Copies copies{};
  if (read_copies(file, copies) != 0) return std::nullopt;
  const Header* const best = newer_intact(copies);
  return best == nullptr ? std::nullopt : std::optional(*best);
}

void require_known_features(const Header& header, const std::filesystem::path& path, std::uint64_t known) {
  const std::uint64_t unknown = header.incompatible_features & ~known;
  if (unknown != 0)
    refuse(Kind::wrong_version, path,
           "uses features that this program does not know (bits " + spell_address(unknown) +
               "). Open it with a newer version of Perdure.");
}

FoundHeader read_header(int file, const std::filesystem::path& path, Placement placement) {
  struct stat status{};
  if (fstat(file, &status) != 0) refuse_errno(errno, path, "looking at the file");
  const auto file_bytes = static_cast<std::uint64_t>(status.st_size);
  Copies copies{};
  if (const int error = read_copies(file, copies); error != 0) refuse_errno(error, path, "reading the header");
  const Header* const best = newer_intact(copies);
  if (best == nullptr) refuse_without_intact_copy(copies, file_bytes, path);
  require_known_version(*best, path);
  require_sound_fields(*best, path);
  require_room(*best, path);
  if (placement == Placement::at_its_address) {
    require_this_window(*best, path);
    require_one_address(*best, path);
  }
  require_this_granularity(*best, path);
  require_whole_file(*best, file_bytes, path);
  return {*best, static_cast<std::size_t>(best - copies.data()),
          std::memcmp(&copies[0], &copies[1], sizeof(Header)) != 0};
}

Uuid make_uuid() {
  Uuid uuid{};
  // Up to 256 bytes are returned whole once the system has gathered entropy, which it has before programs run.
  while (getrandom(uuid.data(), uuid.size(), 0) != static_cast<ssize_t>(uuid.size())) {
  }
  uuid[6] = static_cast<std::uint8_t>((uuid[6] & 0x0f) | 0x40);  // RFC 4122, version 4
  uuid[8] = static_cast<std::uint8_t>((uuid[8] & 0x3f) | 0x80);
  return uuid;
}

std::string spell_uuid(const Uuid& uuid) {
  constexpr const char* digits = "0123456789abcdef";
  std::string text;
  for (std::size_t i = 0; i < uuid.size(); ++i) {
    if (i == 4 || i == 6 || i == 8 || i == 10) text += '-';
    text += digits[uuid[i] / 16];
    text += digits[uuid[i] % 16];
  }
  return text;
}

std::uint64_t check_of_descriptor(std::uint64_t superblock, std::uint64_t content) noexcept {
  return mix(superblock, content) & ~descriptor_content;
}

void describe_as_free(std::uint64_t segment, std::uint64_t* words) noexcept {
  for (std::uint64_t i = 0; i < superblocks_per_segment; ++i)
    words[i] = check_of_descriptor(segment * superblocks_per_segment + i, 0);
}

std::uint64_t encode_directory_entry(std::uint64_t segment, std::uint64_t superblock) noexcept {
  return (mix(segment + 1, superblock) << 32) | superblock;
}

bool decode_directory_entry(std::uint64_t segment, std::uint64_t word, std::uint64_t& superblock) noexcept {
  superblock = word & 0xffffffff;
  return word == 0 || (superblock != 0 && word == encode_directory_entry(segment, superblock));
}

}  // namespace perdure::pool
