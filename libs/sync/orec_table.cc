#include "sync/orec_table.h"

#include <sys/mman.h>

namespace perdure::sync {
namespace {

// A look-up touches a random place of 8 MiB: with small pages most would miss the TLB. Advice only, so failure is no
// matter.
[[gnu::constructor]] void use_huge_pages() { madvise(static_cast<void*>(&orec_table), sizeof orec_table, MADV_HUGEPAGE); }

}  // namespace
}  // namespace perdure::sync
