#ifndef PERDURE_POOL_HEADER_H
#define PERDURE_POOL_HEADER_H

#include <filesystem>
#include <optional>

#include "pool/format.h"

namespace perdure::pool {

/// A header as it was found: in which copy, and whether the other one differs and so has to be written anew.
struct FoundHeader {
  Header header;
  std::size_t copy;
  bool repair;
};

/// The header of a pool to be created at `address`: dirty, of `superblocks` superblocks.
/// \param slots  that the pool takes there. With several, the superblock behind the first one is a part of the
///   directory.
Header make_header(std::uint64_t address, std::uint64_t superblocks, const Uuid& uuid, std::size_t slots = 1);

/// Fills in the checksum.
void seal(Header& header) noexcept;
bool is_intact(const Header& header) noexcept;

/// The newer intact copy of the header in a file; nothing when there is none, or the file cannot be read. Says nothing
/// of whether this program can open the pool.
std::optional<Header> find_header(int file);

/// Where a pool is to be mapped.
enum class Placement : std::uint8_t {
  at_its_address,  ///< where its pointers are valid
  anywhere         ///< to look at it, or to move it
};

/// Reads both copies and takes the newer intact one. Checks everything in it that does not depend on this process.
/// \throws PoolError: not a pool, truncated, damaged, made by a newer version; and unless it is mapped anywhere: with
/// another window, or left in the middle of a move (both Kind::address_taken).
FoundHeader read_header(int file, const std::filesystem::path& path, Placement placement);

/// \throws PoolError (Kind::wrong_version) if the pool uses others than those: as every program does, of what it knows.
void require_known_features(const Header& header, const std::filesystem::path& path,
                            std::uint64_t known = known_incompatible_features);

Uuid make_uuid();
/// "123e4567-e89b-12d3-a456-426614174000".
std::string spell_uuid(const Uuid& uuid);

/// The bits of a superblock's descriptor that say something (alloc::Descriptor); the others are their check.
inline constexpr std::uint64_t descriptor_content = (std::uint64_t{1} << 48) - 1;
std::uint64_t check_of_descriptor(std::uint64_t superblock, std::uint64_t content) noexcept;
/// The descriptors of a segment whose superblocks are free.
void describe_as_free(std::uint64_t segment, std::uint64_t* words) noexcept;

/// The self-checking words of the directory. 0 stands for no entry.
std::uint64_t encode_directory_entry(std::uint64_t segment, std::uint64_t superblock) noexcept;
/// \returns false when the word is damaged.
bool decode_directory_entry(std::uint64_t segment, std::uint64_t word, std::uint64_t& superblock) noexcept;

}  // namespace perdure::pool

#endif
