// The Fibonacci numbers, each computed once, whoever asks for it and in whichever run (N. Krauter et al., “Persistent
// Software Transactional Memory in Haskell”, ICFP'21, Listing 6). Kill it and start it again: it goes on where it was.
//   perdure-c++ -O2 fibonacci.cc -o fibonacci && ./fibonacci fibonacci.pool 150000
#include <cstdio>
#include <cstdlib>

#include <perdure/memo.h>

#include "digits.h"

namespace {

using Fibonacci = perdure::memo<Digits(unsigned)>;

/// What it needs of itself it asks the memo for, which comes first.
Digits fibonacci(Fibonacci& self, unsigned number) {
  if (number < 2) return {number};
  return sum(self(number - 1), self(number - 2));
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 3) {
    std::fputs("usage: fibonacci <pool> <number>\n", stderr);
    return 2;
  }
  const auto number = static_cast<unsigned>(std::strtoul(argv[2], nullptr, 10));
  auto pool = perdure::Pool::open(argv[1]);
  Fibonacci remembered(pool, "fibonacci", fibonacci);
  constexpr unsigned step = 1000;  // the function calls itself no deeper, for the stack's sake
  for (unsigned next = step; next < number; next += step) remembered(next);
  print(remembered(number));
  const auto statistics = remembered.statistics();
  std::fprintf(stderr, "evaluated %llu, of %llu that are remembered\n",
               static_cast<unsigned long long>(statistics.evaluations),
               static_cast<unsigned long long>(statistics.entries));
}
