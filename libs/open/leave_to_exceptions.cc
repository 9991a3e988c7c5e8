#include "open/leave_to_exceptions.h"

#include <cstring>
#include <span>

#include "pool/exception_memory.h"
#include "pool/window.h"

namespace perdure::opening {
namespace {

/// Objects there have code addresses, which are gone with the pool.
void lead_into_program(const alloc::Heap& heap, std::span<std::byte> contents) {
  for (std::size_t at = 0; at + sizeof(std::uintptr_t) <= contents.size(); at += sizeof(std::uintptr_t)) {
    std::uintptr_t word = 0;
    std::memcpy(&word, &contents[at], sizeof word);
    const auto* const address = reinterpret_cast<const void*>(word);
    if (!pool::in_window(address) || !pool::is_code_address(address) || alloc::heap_of(address) != &heap) continue;
    word = heap.codes().in_program(word);
    std::memcpy(&contents[at], &word, sizeof word);
  }
}

}  // namespace

void leave_to_exceptions(alloc::Heap& heap) {
  const pool::Mapping& mapping = heap.mapping();
  pool::exception_memory::leave_pool(mapping.base(), mapping.max_bytes(),
                                     [&](void* block, std::span<std::byte> contents) {
                                       lead_into_program(heap, contents);
                                       heap.deallocate(block);
                                     });
}

}  // namespace perdure::opening
