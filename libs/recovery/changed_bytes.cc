#include "recovery/changed_bytes.h"

#include <bit>

#include "log/changed_bytes.h"
#include "log/record.h"
#include "persist/current.h"
#include "persist/fault.h"
#include "recovery/damage.h"

namespace perdure::recovery {
namespace {

using Domain = persist::Current;

}  // namespace

void check_changed_bytes(alloc::Heap& heap, const void* log, std::span<const std::uint64_t> words) {
  const bool are_well_formed =
      log::changed_bytes::for_each(words, [&](std::uint64_t address, std::uint64_t, std::uint8_t) {
        if (address % sizeof(std::uint64_t) != 0 || !is_data(heap, address))
          refuse_log(heap, log, "it is about something outside the pool's data");
      });
  if (!are_well_formed) refuse_log(heap, log, "its contents contradict its length");
}

std::uint64_t apply_changed_bytes(std::span<const std::uint64_t> words) {
  std::uint64_t bytes = 0;
  std::uintptr_t previous = 0;
  log::changed_bytes::for_each(words, [&](std::uint64_t address, std::uint64_t value, std::uint8_t written) {
    if (persist::is_seeded(persist::Fault::parts_replayed_whole)) written = log::all_bytes;
    log::store_bytes(address, value, written);
    bytes += static_cast<unsigned>(std::popcount(written));
    const std::uintptr_t line = address & ~(persist::line_bytes - 1);
    // The words of a line follow each other, and a flush covers what is stored to the line before the next fence.
    if (line != previous && previous != 0) Domain::flush(reinterpret_cast<const void*>(previous));
    previous = line;
  });
  if (previous != 0) Domain::flush(reinterpret_cast<const void*>(previous));
  return bytes;
}

}  // namespace perdure::recovery
