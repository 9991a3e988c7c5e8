// The flush instruction that a program uses is the one that its machine and its settings call for. (It was not once:
// the archive's member that chooses it was linked into no program.)
#include <cpuid.h>
#include <gtest/gtest.h>
#include <libpmem.h>

#include <cstdlib>
#include <string>

#include "../tx/by_hand.h"
#include "persist/adr.h"

namespace perdure {
namespace {

using persistence::FlushInstruction;

std::string setting() {
  const char* const domain = std::getenv("PERDURE_DOMAIN");
  return domain == nullptr ? "" : domain;
}

bool caches_are_durable() { return setting() == "eadr" || (setting().empty() && pmem_has_auto_flush() == 1); }

TEST(Domain, UsesTheBestInstructionThereIs) {
  unsigned eax = 0, ebx = 0, ecx = 0, edx = 0;
  __get_cpuid_count(7, 0, &eax, &ebx, &ecx, &edx);
  const bool has_clwb = (ebx & (1U << 24)) != 0;
  const bool has_clflushopt = (ebx & (1U << 23)) != 0;
  const FlushInstruction expected = caches_are_durable() ? FlushInstruction::none
                                    : has_clwb           ? FlushInstruction::clwb
                                    : has_clflushopt     ? FlushInstruction::clflushopt
                                                         : FlushInstruction::clflush;
  EXPECT_EQ(persistence::flush_instruction, expected);
}

class DomainOfTransactions : public by_hand::PoolTest {};

TEST_F(DomainOfTransactions, FlushNothingWhereCachesAreDurable) {
  auto* const shared = words(1);
  reset_statistics();
  by_hand::transact([&] { by_hand::write(shared[0], 1); });
  EXPECT_EQ(statistics().flushes == 0, caches_are_durable());
}

}  // namespace
}  // namespace perdure
