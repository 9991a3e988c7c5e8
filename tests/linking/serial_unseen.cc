#include <cstdio>

#include "serial.h"

namespace {
std::uint64_t sum = 0;
}

void print(std::uint64_t value) {
  std::printf("%lu\n", static_cast<unsigned long>(value));
  sum += value;
}
void write_as_it_is(std::uint64_t& to, std::uint64_t value) { to = value; }
std::uint64_t printed() { return sum; }
