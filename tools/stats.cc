#include <map>

#include "alloc/heap.h"
#include "commands.h"
#include "pool_file.h"

namespace perdure::tools {
namespace {

struct LayoutUse {
  std::uint64_t blocks = 0;
  std::uint64_t bytes = 0;
};

struct ClassUse {
  std::uint64_t superblocks = 0;
  std::uint64_t used_blocks = 0;
};

/// What all superblocks of a pool are used for.
struct PoolUse {
  std::map<std::size_t, ClassUse> classes;  // by number of the size class
  std::map<alloc::LayoutNumber, LayoutUse> layouts;
  std::uint64_t free = 0;
  std::uint64_t metadata = 0;
  std::uint64_t log_segments = 0;
  std::uint64_t large_blocks = 0;
  std::uint64_t large_superblocks = 0;

  void add_blocks(alloc::LayoutNumber layout, std::uint64_t blocks, std::uint64_t bytes) {
    LayoutUse& of_layout = layouts[layout];
    of_layout.blocks += blocks;
    of_layout.bytes += blocks * bytes;
  }

  std::uint64_t used_bytes() const {
    std::uint64_t bytes = large_superblocks * pool::superblock_bytes;
    for (const auto& [size_class, use] : classes) bytes += use.used_blocks * alloc::class_bytes[size_class];
    return bytes;
  }
};

PoolUse look_at(alloc::Heap& heap) {
  PoolUse result;
  const alloc::Superblocks& superblocks = heap.superblocks();
  for (std::uint64_t number = 0; number < superblocks.count(); ++number) {
    const alloc::Use use = superblocks.use(number);
    if (use == alloc::Use::none) ++result.free;
    if (use == alloc::Use::metadata) ++result.metadata;
    if (use == alloc::Use::log) ++result.log_segments;
    if (use == alloc::Use::large) {
      ++result.large_blocks;
      result.add_blocks(superblocks.layout(number), 1, superblocks.extent(number) * pool::superblock_bytes);
    }
    if (use == alloc::Use::large || use == alloc::Use::large_rest) ++result.large_superblocks;
    if (!is_small(use)) continue;
    const std::size_t size_class = alloc::class_of(use);
    ClassUse& of_class = result.classes[size_class];
    ++of_class.superblocks;
    const std::uint64_t used = alloc::blocks_in_superblock(size_class) - heap.small_blocks().bitmap(number).free;
    of_class.used_blocks += used;
    result.add_blocks(superblocks.layout(number), used, alloc::class_bytes[size_class]);
  }
  return result;
}

Document table_of(const std::map<std::size_t, ClassUse>& classes) {
  Document table = Document::array();
  for (const auto& [size_class, use] : classes) {
    const std::uint64_t blocks = use.superblocks * alloc::blocks_in_superblock(size_class);
    table.push_back({{"block_bytes", std::uint64_t{alloc::class_bytes[size_class]}},
                     {"superblocks", use.superblocks},
                     {"blocks", blocks},
                     {"used_blocks", use.used_blocks},
                     {"used_bytes", use.used_blocks * alloc::class_bytes[size_class]},
                     {"used_fraction", static_cast<double>(use.used_blocks) / static_cast<double>(blocks)}});
  }
  return table;
}

std::string spell_layout(alloc::LayoutNumber number) {
  if (number == alloc::unknown_layout) return "unknown";
  return number == alloc::without_pointers ? "no pointers" : std::to_string(number);
}

std::uint64_t words_of(const alloc::BlockLayout* layout, alloc::LayoutWords::Kind kind) {
  std::uint64_t count = 0;
  if (layout != nullptr)
    for (const alloc::LayoutWords& words : layout->words()) count += words.kind == kind ? words.count : 0;
  return count;
}

/// What blocks hold; the words are those of one element.
Document table_of(const std::map<alloc::LayoutNumber, LayoutUse>& layouts, alloc::Heap& heap) {
  using Kind = alloc::LayoutWords::Kind;
  Document table = Document::array();
  for (const auto& [number, use] : layouts) {
    const alloc::BlockLayout* const layout = heap.layouts().get(number);
    table.push_back({{"layout", spell_layout(number)},
                     {"blocks", use.blocks},
                     {"used_bytes", use.bytes},
                     {"element_bytes", std::uint64_t{layout == nullptr ? 0 : layout->element_bytes}},
                     {"pointers", words_of(layout, Kind::pointer) + words_of(layout, Kind::conditional)},
                     {"unsure_words", words_of(layout, Kind::unsure)}});
  }
  return table;
}

}  // namespace

Document stats(const std::filesystem::path& path) {
  opening::OpenPool pool = open_for_reading(path);
  const PoolUse use = look_at(pool.heap());
  const std::uint64_t bytes = pool.heap().superblocks().count() * pool::superblock_bytes;
  Document document{{"file", path.string()},
                    {"state", spell_state(pool.report())},
                    {"pool_bytes", bytes},
                    {"used_bytes", use.used_bytes()},
                    {"free_superblocks", use.free},
                    {"free_bytes", use.free * pool::superblock_bytes},
                    {"given_back_bytes", pool.heap().superblocks().holes() * pool::superblock_bytes},
                    {"kept_bytes", pool.mapping().header().kept * pool::superblock_bytes},
                    {"metadata_bytes", use.metadata * pool::superblock_bytes},
                    {"log_segments", use.log_segments},
                    {"log_bytes", use.log_segments * pool::superblock_bytes},
                    {"large_blocks", use.large_blocks},
                    {"large_bytes", use.large_superblocks * pool::superblock_bytes}};
  // What the pool takes for each byte that is allocated; nothing is in an empty pool.
  if (use.used_bytes() != 0)
    document["size_per_used_byte"] = static_cast<double>(bytes) / static_cast<double>(use.used_bytes());
  document["size_classes"] = table_of(use.classes);
  document["layouts"] = table_of(use.layouts, pool.heap());
  return document;
}

}  // namespace perdure::tools
