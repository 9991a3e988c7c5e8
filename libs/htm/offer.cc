#include "htm/offer.h"

#include <cpuid.h>

#include "htm/rtm.h"

namespace perdure::htm {
namespace {

/// CPUID, leaf 7: EBX has RTM, EDX says that every transaction aborts.
constexpr std::uint32_t leaf = 7;
constexpr std::uint32_t rtm = 1U << 11;
constexpr std::uint32_t rtm_always_aborts = 1U << 11;

/// Some abort by chance, such as for an interrupt; hardly all of so many.
constexpr int attempts = 100;

bool does_one_commit() {
  for (int i = 0; i < attempts; ++i)
    if (Rtm::attempt([] {}).has_committed()) return true;
  return false;
}

Offer find_out() {
  std::uint32_t eax = 0;
  std::uint32_t ebx = 0;
  std::uint32_t ecx = 0;
  std::uint32_t edx = 0;
  if (__get_cpuid_count(leaf, 0, &eax, &ebx, &ecx, &edx) == 0 || (ebx & rtm) == 0) return Offer::none;
  // Microcode may abort all without saying so.
  return (edx & rtm_always_aborts) == 0 && does_one_commit() ? Offer::works : Offer::always_aborts;
}

}  // namespace

Offer offer() {
  static const Offer result = find_out();
  return result;
}

const char* name_of(Offer offer) {
  switch (offer) {
    case Offer::none:
      return "none";
    case Offer::always_aborts:
      return "always aborts";
    case Offer::works:
      return "RTM";
  }
  return "";
}

}  // namespace perdure::htm
