#include "program.h"

std::uint64_t address_only(Shared& shared) { return shared.word += 2; }

std::uint64_t other_address_only(Shared& shared) {
  shared.byte = 7;
  return shared.half += 3;
}
