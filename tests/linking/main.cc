// Transactions in one file only; TRANSACTION says what they need of the others.
#include <perdure/perdure.h>

#include <iostream>
#include <memory>

#include "program.h"

int main(int argc, char** argv) {
  if (argc != 2) return 2;
  auto pool = perdure::Pool::open(argv[1], {.accept_volatile = true});
  Shared& shared = pool.root<Shared>("shared");
  const std::unique_ptr<Shape> circle(make_shape(argc - 1)), square(make_shape(argc));
  std::uint64_t sum = 0;
#if TRANSACTION == 1  // nothing, though they could be called
  TM_BEGIN { sum = ++shared.count; } TM_END;
  if (sum != 1) return 1;
#elif TRANSACTION == 2  // addresses
  const Step step = argc == 2 ? address_only : other_address_only;
  TM_BEGIN { sum = step(shared) + other_address_only(shared); } TM_END;
  if (sum != 5 || shared.byte != 7) return 1;
#else                   // everything
  TM_BEGIN {
    sum = called(shared) + in_c(&shared) + circle->grow(shared) + square->grow(shared);
    for (auto* const freeing : {dropper, direct_dropper, &release}) freeing(maker(sizeof(shared)));
    release(maker(sizeof(shared)));
    sum += apply(address_only, shared) + apply(argc == 2 ? other_address_only : address_only, shared);
  } TM_END;
  if (sum != 1 + 1 + 7 + 4 + 3 + 4) return 1;
#endif
  std::cout << "done\n";
}
