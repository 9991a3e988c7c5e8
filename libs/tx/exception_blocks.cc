#include "tx/exception_blocks.h"

#include <algorithm>

#include "pool/exception_memory.h"
#include "pool/window.h"

namespace perdure::tx {
namespace {

std::uintptr_t address_of(const void* block) { return reinterpret_cast<std::uintptr_t>(block); }

constexpr auto comes_before = [](const auto& one, const auto& other) { return one.address < other.address; };

}  // namespace

bool ExceptionBlocks::may_lead_to_some(const ExceptionState& exceptions, const Captured& captured, std::size_t first) {
  std::uintptr_t begin = ~std::uintptr_t{0};
  std::uintptr_t end = 0;
  captured.for_each_block_since(first, [&](const void* block, std::size_t bytes) {
    begin = std::min(begin, address_of(block));
    end = std::max(end, address_of(block) + bytes);
  });
  bool found = false;
  exceptions.for_each_object([&](const void* object, std::size_t bytes) {
    const auto* const words = static_cast<const std::uintptr_t*>(object);
    for (std::size_t i = 0; i < bytes / sizeof(std::uintptr_t); ++i)
      found = found || (words[i] >= begin && words[i] < end);
  });
  return found;
}

void ExceptionBlocks::sort_candidates() { std::sort(candidates_.begin(), candidates_.end(), comes_before); }
void ExceptionBlocks::sort_blocks() { std::sort(blocks_.begin(), blocks_.end(), comes_before); }

/// Into the middle of one counts, too: strings have their length before the text.
void ExceptionBlocks::take_if_it_leads_to_one(std::uintptr_t word) {
  Block* const behind =
      std::upper_bound(candidates_.begin(), candidates_.end(), word,
                       [](std::uintptr_t address, const Block& block) { return address < address_of(block.address); });
  if (behind == candidates_.begin()) return;
  Block& candidate = behind[-1];
  if (word - address_of(candidate.address) >= candidate.bytes) return;
  blocks_.push_back(candidate);
  candidate.bytes = 0;
}

void ExceptionBlocks::remember() const {
  for (const Block& block : blocks_)
    if (pool::in_window(block.address)) pool::exception_memory::add(block.address, block.bytes);
}

bool ExceptionBlocks::contains(const void* block) const {
  return std::binary_search(blocks_.begin(), blocks_.end(), Block{const_cast<void*>(block), 0}, comes_before);
}

}  // namespace perdure::tx
