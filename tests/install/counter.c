// Prints the library's name, and how often the program has run on this pool: in C.
#include <perdure/c.h>
#include <stdio.h>

struct counter {
  long runs;
};

static int count(void* argument) {
  struct counter* counter = argument;
  counter->runs += 1;
  return 0;
}

static int count_and_refuse(void* argument) {
  count(argument);
  return 5;
}

int main(int argc, char** argv) {
  if (argc != 2) return 2;
  perdure_pool* pool;
  struct counter* counter;
  if (perdure_pool_open(argv[1], &pool) != PERDURE_OK) return 3;
  if (perdure_root(pool, "counter", struct counter, &counter) != PERDURE_OK) return 4;
  if (perdure_transaction(count_and_refuse, counter) != 5 || perdure_transaction(count, counter) != 0) return 5;
  printf("%s %ld\n", perdure_library(), counter->runs);
  return perdure_pool_close(pool) == PERDURE_OK ? 0 : 6;
}
