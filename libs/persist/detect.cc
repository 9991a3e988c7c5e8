#include <cpuid.h>
#include <libpmem.h>

#include "persist/adr.h"
#include "persist/environment.h"

namespace perdure::persistence {

constinit FlushInstruction flush_instruction = FlushInstruction::clflush;  // exists on every x86-64 processor

namespace {

FlushInstruction best_flush_instruction() {
  // CPUID leaf 7, EBX: bit 24 is CLWB, bit 23 is CLFLUSHOPT (Intel SDM, volume 2A).
  unsigned eax = 0, ebx = 0, ecx = 0, edx = 0;
  if (__get_cpuid_count(7, 0, &eax, &ebx, &ecx, &edx) == 0) return FlushInstruction::clflush;
  if ((ebx & (1U << 24)) != 0) return FlushInstruction::clwb;
  if ((ebx & (1U << 23)) != 0) return FlushInstruction::clflushopt;
  return FlushInstruction::clflush;
}

FlushInstruction choose() {
  switch (environment().domain) {
    case Environment::Domain::adr:
      return best_flush_instruction();
    case Environment::Domain::eadr:
      return FlushInstruction::none;
    case Environment::Domain::detect:
      break;
  }
  // libpmem knows whether the platform flushes its caches when power fails.
  return pmem_has_auto_flush() == 1 ? FlushInstruction::none : best_flush_instruction();
}

// Before any other constructor of the program could open a pool.
[[gnu::constructor(101)]] void detect() { flush_instruction = choose(); }

}  // namespace
}  // namespace perdure::persistence
