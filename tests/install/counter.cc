// Prints the library's name, and how often the program has run on this pool.
#include <perdure/perdure.h>

#include <iostream>

struct Counter {
  long runs = 0;
};

int main(int argc, char** argv) {
  if (argc != 2) return 2;
  auto pool = perdure::Pool::open(argv[1], {.accept_volatile = true});
  auto& counter = pool.root<Counter>("counter");
  long runs = 0;
  TM_BEGIN { runs = ++counter.runs; } TM_END;
  std::cout << perdure::library_name() << ' ' << runs << '\n';
  return 0;
}
