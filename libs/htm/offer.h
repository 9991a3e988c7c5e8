#ifndef PERDURE_HTM_OFFER_H
#define PERDURE_HTM_OFFER_H

#include <cstdint>

namespace perdure::htm {

enum class Offer : std::uint8_t {
  none,           ///< the processor has no hardware transactions
  always_aborts,  ///< it has them, but none commits: its microcode has switched them off
  works,
};

/// What this processor offers: as it says, and as some attempts show. Worked out at the first call.
Offer offer();

/// "none", "always aborts" or "RTM".
const char* name_of(Offer offer);

}  // namespace perdure::htm

#endif
