#ifndef PERDURE_TESTS_FIBERS_SANITIZED_SWITCH_H
#define PERDURE_TESTS_FIBERS_SANITIZED_SWITCH_H

#include <cstddef>

#include "persist/sanitizers.h"

#ifdef PERDURE_ADDRESS_SANITIZER
#include <sanitizer/common_interface_defs.h>
#endif

namespace perdure::testing {

/// Tells AddressSanitizer of a change of stacks. Otherwise, when a transaction on one that it does not know is rolled
/// back, it keeps taking what lies in the frames that are gone for inaccessible.
class SanitizedSwitch {
 public:
  /// The next stack is in use from now on.
  void leave(const void* bottom, std::size_t bytes) {
#ifdef PERDURE_ADDRESS_SANITIZER
    __sanitizer_start_switch_fiber(&own_, bottom, bytes);
#else
    static_cast<void>(bottom);
    static_cast<void>(bytes);
#endif
  }

  /// Back again, or here for the first time. Says which stack was left.
  void arrive() {
#ifdef PERDURE_ADDRESS_SANITIZER
    __sanitizer_finish_switch_fiber(own_, &from_, &from_bytes_);
#endif
  }

  const void* from() const { return from_; }
  std::size_t from_bytes() const { return from_bytes_; }

 private:
  [[maybe_unused]] void* own_ = nullptr;
  const void* from_ = nullptr;
  std::size_t from_bytes_ = 0;
};

}  // namespace perdure::testing

#endif
