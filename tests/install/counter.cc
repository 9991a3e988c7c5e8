// Prints the library's name, and how often the program has run on this pool.
#include <perdure/perdure.h>

#include <iostream>
#include <map>
#include <string>

struct Counter {
  std::map<std::string, long> runs;
};

/// What the library throws, and what a transaction does, must be caught here.
bool catches_exceptions(perdure::Pool& pool, Counter& counter) {
  int caught = 0;
  try {
    pool.root<Counter>("");
  } catch (const perdure::PoolError& error) {
    caught += error.path() == pool.path() && std::string(error.what()).find("root") != std::string::npos ? 1 : 0;
  }
  try {
    TM_BEGIN {
      counter.runs.clear();
      counter.runs.at("not there");
    } TM_END;
  } catch (const std::out_of_range&) {
    ++caught;
  }
  return caught == 2;
}

int main(int argc, char** argv) {
  if (argc != 2) return 2;
  auto pool = perdure::Pool::open(argv[1], {.accept_volatile = true});
  auto& counter = pool.root<Counter>("counter");
  long runs = 0;
  TM_BEGIN { runs = ++counter.runs[std::to_string(argc)]; } TM_END;
  if (!catches_exceptions(pool, counter)) return 3;
  std::cout << perdure::library_name() << ' ' << runs << '\n';
  return 0;
}
