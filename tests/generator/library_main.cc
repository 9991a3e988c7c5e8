// Runs generated programs with a library, in a pool, and aborts every transaction at random accesses.
// Usage: program <pool> <seed>
#include <cstdio>
#include <random>
#include <string>

#include "perdure/pool.h"
#include "perdure/statistics.h"
#include "program.h"
#include "schedule.h"

namespace {

std::mt19937 random_number;

/// Where a program aborts does not depend on those before it, so that it does the same when it runs alone.
void seed_with(std::string text) {
  std::seed_seq seed(text.begin(), text.end());
  random_number.seed(seed);
}

}  // namespace

void generated::before_transaction() { perdure::schedule::arm_aborts(1 + random_number() % 50, false); }
void generated::after_transaction() { perdure::schedule::disarm(); }

int main(int argc, char** argv) {
  if (argc != 3) return 2;
  const auto pool = perdure::Pool::open(argv[1], {.accept_volatile = true});
  for (const generated::Program* program = generated::programs; program->name != nullptr; ++program) {
    seed_with(argv[2] + std::string(program->name));
    program->run(program->name);
  }
  if (perdure::schedule::aborts() == 0) return 3;
}
