#include "pages.h"

#include <algorithm>
#include <span>
#include <vector>

#include "blocks.h"
#include "disk/make_log.h"
#include "pool/file.h"

namespace perdure::tools {
namespace {

using Block = std::span<const std::byte>;

std::string spell_object(const Block& block, const alloc::Heap& heap, const roots::RootTable& table) {
  for (const roots::Root& root : table.roots)
    if (root.object == block.data())
      return std::string("the root '") + root.name.data() + "' (" + root.type_name.data() + ")";
  return std::to_string(block.size()) + " bytes at offset " +
         std::to_string(static_cast<std::uint64_t>(block.data() - heap.mapping().base()));
}

/// The blocks in use that lie in a page, at least in part.
std::vector<Block> blocks_in(std::uint64_t page, alloc::Heap& heap) {
  constexpr std::size_t step = 32;  // no block is smaller
  const auto begin = reinterpret_cast<std::uintptr_t>(heap.mapping().base()) + page * disk::block_bytes;
  std::vector<Block> blocks;
  for (std::uintptr_t at = begin; at < begin + disk::block_bytes; at += step) {
    const Block block = block_of(heap, at);
    if (!block.empty() && (blocks.empty() || blocks.back().data() != block.data())) blocks.push_back(block);
  }
  return blocks;
}

}  // namespace

std::optional<disk::PageCheck> verify_pages(const std::filesystem::path& path) {
  if (!disk::has_log(path) || disk::is_whole_without_log(path)) return std::nullopt;
  const auto locked = pool::File::open(path, pool::File::Access::reading);
  return disk::check_pages(path);
}

void add_pages(const disk::PageCheck& pages, Document& document) {
  document["page_checksums"] =
      pages.sums == disk::PageSums::State::unknown ? "lost: made anew by the next open" : "kept";
  document["pages_verified"] = pages.verified;
  document["pages_to_replay"] = pages.in_doubt;
}

std::string spell_damaged_page(std::uint64_t page) {
  return "the page at offset " + std::to_string(page * disk::block_bytes) + " is not what was written there last";
}

std::string spell_objects_in(std::uint64_t page, alloc::Heap& heap, const roots::RootTable& roots) {
  constexpr std::size_t most = 8;
  const std::vector<Block> blocks = blocks_in(page, heap);
  if (blocks.empty()) return " (no objects are in it)";
  std::string text;
  for (std::size_t i = 0; i < std::min(most, blocks.size()); ++i)
    text += (i == 0 ? " (in it: " : ", ") + spell_object(blocks[i], heap, roots);
  if (blocks.size() > most) text += ", and " + std::to_string(blocks.size() - most) + " more";
  return text + ")";
}

}  // namespace perdure::tools
