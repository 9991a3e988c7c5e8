#ifndef PERDURE_PERSIST_ADR_H
#define PERDURE_PERSIST_ADR_H

#include <cstddef>
#include <cstdint>

#include "persist/counts.h"
#include "persist/files.h"

namespace perdure::persistence {

/// How this machine writes a cache line back. `none` is eADR: the caches themselves survive a power failure, and a
/// flush has nothing to do.
enum class FlushInstruction : std::uint8_t { clwb, clflushopt, clflush, none };

/// Chosen before main() and constant afterwards. Defined beside what chooses it (detect.cc): so whoever flushes gets
/// both from the archive.
extern constinit FlushInstruction flush_instruction;

/// The hardware's persistence domain: ADR (PDOM-1 in PACT'19, section II.A), or eADR where detect.cc finds it.
struct Adr {
  static constexpr bool is_simulated = false;
  static constexpr std::size_t atomic_bytes = 8;
  static constexpr std::size_t line_bytes = 64;

  static void flush(const void* address) noexcept {
    if (flush_instruction != FlushInstruction::clwb) [[unlikely]]
      return flush_otherwise(address);
    asm volatile("clwb %0" : "+m"(*line_at(address)));
    counts.count_flush();
  }

  /// On eADR the stores still have to leave the store buffer in order, so the fence stays.
  static void fence() noexcept {
    asm volatile("sfence" ::: "memory");
    counts.count_fence();
  }

  /// Intel SDM, volume 3, 8.2.5 and CLWB: ordered by LOCK-prefixed instructions as by SFENCE.
  static void locked_instruction() noexcept {}

  static constexpr Files files() noexcept { return Files::as_they_lie; }

  /// Nobody asks which transactions run.
  struct Transaction {};

 private:
  static volatile char* line_at(const void* address) {
    return const_cast<volatile char*>(static_cast<const volatile char*>(address));
  }

  /// Out of line, and saving its registers itself, so that flushing needs no frame.
  [[gnu::noinline, clang::preserve_most]] static void flush_otherwise(const void* address) noexcept {
    switch (flush_instruction) {
      case FlushInstruction::clflushopt:
        asm volatile("clflushopt %0" : "+m"(*line_at(address)));
        break;
      case FlushInstruction::clflush:
        asm volatile("clflush %0" : "+m"(*line_at(address)));
        break;
      case FlushInstruction::clwb:
      case FlushInstruction::none:
        return;
    }
    counts.count_flush();
  }
};

}  // namespace perdure::persistence

#endif
