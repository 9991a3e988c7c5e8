#include "recover/changed_bytes.h"

#include <bit>

#include "log/changed_bytes.h"
#include "log/record.h"
#include "persist/domain.h"
#include "persist/durable.h"
#include "persist/lines.h"
#include "persist/step.h"
#include "recover/damage.h"

namespace perdure::recover {
namespace {}  // namespace

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
  persistence::LinesInProgress lines([](std::uintptr_t line) {
    persistence::note_change(reinterpret_cast<const void*>(line), persistence::line_bytes);
  });
  log::changed_bytes::for_each(words, [&](std::uint64_t address, std::uint64_t value, std::uint8_t written) {
    written = persistence::value<persistence::Step::written_bytes>(written);
    log::store_bytes(address, value, written);
    bytes += static_cast<unsigned>(std::popcount(written));
    lines.changed(address);
  });
  return bytes;
}

}  // namespace perdure::recover
