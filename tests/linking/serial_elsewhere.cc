#include "serial.h"

Scope::Scope(Shared& shared) : shared_(shared) { ++shared_.second; }
Scope::~Scope() { ++shared_.second; }

void add_and_print(Shared& shared, std::uint64_t value) {
  shared.first += value;
  print(value);
}
