#include "damage.h"

#include <algorithm>
#include <array>
#include <cstring>

#include "alloc/descriptor_table.h"
#include "alloc/size_classes.h"
#include "log/commit_record.h"
#include "pool/format.h"
#include "pool/header.h"

namespace perdure::testing {
namespace {

using Random = std::mt19937_64;

constexpr std::size_t descriptors_offset = pool::first_superblock * pool::superblock_bytes;

std::size_t draw(Random& random, std::size_t end) { return random() % end; }

pool::Header header_of(const std::string& bytes) {
  pool::Header header;
  std::memcpy(&header, bytes.data(), sizeof header);
  return header;
}

void put_header(std::string& bytes, std::size_t copy, const std::string& header) {
  bytes.replace(copy * pool::page_bytes, pool::page_bytes, header);
}

template <class T>
void put(std::string& bytes, std::size_t offset, const T& value) {
  std::memcpy(bytes.data() + offset, &value, sizeof value);
}

/// Somewhere in the file, and more often where its structures are than in its objects.
std::size_t draw_place(const std::string& bytes, Random& random) {
  switch (draw(random, 6)) {
    case 0:
      return draw(random, pool::directory_offset);
    case 1:
      return pool::directory_offset + draw(random, 64);
    case 2:
      return pool::watermark_offset + draw(random, 64);
    case 3:
      return pool::root_table_offset + draw(random, 1024);
    case 4:
      return descriptors_offset + draw(random, 8 * bytes.size() / pool::superblock_bytes);
    default: {
      // Logs and objects begin at the start of a superblock.
      const std::size_t superblock = draw(random, bytes.size() / pool::superblock_bytes);
      return superblock * pool::superblock_bytes + draw(random, draw(random, 2) == 0 ? 256 : pool::superblock_bytes);
    }
  }
}

/// Roots, logs and objects have no checksums of their own.
bool has_checksum(std::size_t place) {
  return place < pool::watermark_offset + sizeof(log::RecordWatermark) ||
         (place >= descriptors_offset && place < descriptors_offset + pool::superblock_bytes);
}

Damaged flip_bits(const Specimen& specimen, Random& random) {
  Damaged result{specimen.bytes, "bits flipped at", true};
  for (std::size_t left = 1 + draw(random, 8); left != 0; --left) {
    const std::size_t place = draw_place(result.bytes, random);
    result.bytes[place] = static_cast<char>(result.bytes[place] ^ (1 << draw(random, 8)));
    result.what += " " + std::to_string(place);
    result.spares_objects &= has_checksum(place);
  }
  return result;
}

/// Words that a program may trip over: nothing, everything, small numbers, addresses in the pool.
Damaged overwrite_words(const Specimen& specimen, Random& random) {
  Damaged result{specimen.bytes, "words overwritten at", true};
  const std::uint64_t base = header_of(specimen.bytes).address;
  for (std::size_t left = 1 + draw(random, 4); left != 0; --left) {
    const std::size_t place = draw_place(result.bytes, random) / 8 * 8;
    const std::array<std::uint64_t, 6> words = {0,
                                                ~std::uint64_t{0},
                                                draw(random, 300),
                                                base + draw(random, result.bytes.size()),
                                                base + result.bytes.size(),
                                                random()};
    put(result.bytes, place, words[draw(random, words.size())]);
    result.what += " " + std::to_string(place);
    result.spares_objects &= has_checksum(place);
  }
  return result;
}

Damaged change_length(const Specimen& specimen, Random& random) {
  const bool longer = draw(random, 4) == 0;
  const std::size_t bytes =
      longer ? specimen.bytes.size() + draw(random, 1 << 20) : draw(random, specimen.bytes.size());
  Damaged result{specimen.bytes, "length changed to " + std::to_string(bytes), true};
  result.bytes.resize(bytes);
  return result;
}

Damaged swap_pages(const Specimen& specimen, Random& random) {
  const std::size_t bytes = draw(random, 2) == 0 ? pool::page_bytes : pool::superblock_bytes;
  const std::size_t one = draw(random, specimen.bytes.size() / bytes) * bytes;
  const std::size_t other = draw(random, specimen.bytes.size() / bytes) * bytes;
  Damaged result{specimen.bytes, "pages swapped: " + std::to_string(one) + " and " + std::to_string(other), false};
  std::swap_ranges(result.bytes.begin() + static_cast<std::ptrdiff_t>(one),
                   result.bytes.begin() + static_cast<std::ptrdiff_t>(one + bytes),
                   result.bytes.begin() + static_cast<std::ptrdiff_t>(other));
  return result;
}

Damaged put_stale_header(const Specimen& specimen, Random& random) {
  Damaged result{specimen.bytes, "stale header in copy", true};
  const std::string& header = specimen.old_headers[draw(random, specimen.old_headers.size())];
  const std::size_t which = draw(random, 3);
  for (std::size_t copy = 0; copy < pool::header_copies; ++copy) {
    if (which == 1 - copy) continue;
    put_header(result.bytes, copy, header);
    result.what += " " + std::to_string(copy);
  }
  return result;
}

/// A header with a right checksum that says something else.
Damaged forge_header(const Specimen& specimen, Random& random) {
  pool::Header header = header_of(specimen.bytes);
  const std::size_t first = draw(random, 2) == 0 ? offsetof(pool::Header, generation) : sizeof(header.magic);
  const std::size_t place = first + draw(random, 216 - first);
  auto* const bytes = reinterpret_cast<unsigned char*>(&header);
  bytes[place] = static_cast<unsigned char>(bytes[place] ^ (1 << draw(random, 8)));
  pool::seal(header);
  Damaged result{specimen.bytes, "header forged at " + std::to_string(place), false};
  for (std::size_t copy = 0; copy < pool::header_copies; ++copy) put(result.bytes, copy * pool::page_bytes, header);
  return result;
}

/// Descriptors with a right check that say something else.
Damaged forge_descriptors(const Specimen& specimen, Random& random) {
  Damaged result{specimen.bytes, "descriptors forged:", false};
  for (std::size_t left = 1 + draw(random, 4); left != 0; --left) {
    const std::uint64_t superblock = draw(random, specimen.bytes.size() / pool::superblock_bytes + 4);
    alloc::Descriptor descriptor{static_cast<alloc::Descriptor::Kind>(draw(random, 6)), 0, 0};
    if (descriptor.kind == alloc::Descriptor::Kind::small)
      descriptor.size_class = static_cast<std::uint8_t>(draw(random, alloc::class_count));
    if (descriptor.kind == alloc::Descriptor::Kind::large)
      descriptor.extent = draw(random, 3) == 0 ? static_cast<std::uint32_t>(random() & 0x3fffff) | 1U
                                               : 1 + static_cast<std::uint32_t>(draw(random, 20));
    const bool has_blocks =
        descriptor.kind == alloc::Descriptor::Kind::small || descriptor.kind == alloc::Descriptor::Kind::large;
    if (has_blocks && draw(random, 3) == 0)
      descriptor.layout =
          static_cast<alloc::LayoutNumber>(draw(random, draw(random, 2) == 0 ? 4 : alloc::layout_count));
    put(result.bytes, descriptors_offset + 8 * superblock, alloc::encode(superblock, descriptor));
    result.what += " " + std::to_string(superblock);
  }
  return result;
}

}  // namespace

Damaged damage(const Specimen& specimen, Random& random) {
  constexpr std::array ways = {flip_bits,       overwrite_words,  change_length, swap_pages,       flip_bits,
                               overwrite_words, put_stale_header, forge_header,  forge_descriptors};
  return ways[draw(random, ways.size())](specimen, random);
}

}  // namespace perdure::testing
