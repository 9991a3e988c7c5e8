#ifndef PERDURE_TESTS_OTHER_CODE_STRUCTURES_STEPS_H
#define PERDURE_TESTS_OTHER_CODE_STRUCTURES_STEPS_H

#include <stdio.h>
#include <stdlib.h>

#ifndef PLAIN
#include <perdure/c.h>
#endif

/// What a program's steps change, and how many it has done. Each program says what a `struct structures` is, and how a
/// step is done, which leaves its result in `result`.
struct stepped {
  struct structures structures;
  int steps;
};
static struct stepped* stepped;
static char result[256];
static void do_step(struct structures* structures, int number);

static int next_step(void* unused) {
  (void)unused;
  do_step(&stepped->structures, ++stepped->steps);
  return 0;
}

#ifndef PLAIN
/// What is rolled back was never there.
static int undone_step(void* unused) {
  next_step(unused);
  return 1;
}
#endif

/// In a pool; with PLAIN, without transactions and pool. Prints each step's number and result when it has committed.
///   program <steps> [<pool>]
int main(int count, char** arguments) {
  if (count < 2) return 2;
#ifdef PLAIN
  static struct stepped all;
  stepped = &all;
#else
  perdure_pool* pool;
  if (perdure_pool_open(arguments[2], &pool) != PERDURE_OK) return 3;
  if (perdure_root(pool, "stepped", struct stepped, &stepped) != PERDURE_OK) return 4;
#endif
  const int steps = atoi(arguments[1]);
  while (stepped->steps < steps) {
#ifdef PLAIN
    next_step(NULL);
#else
    if (stepped->steps % 5 == 3) perdure_transaction(undone_step, NULL);
    perdure_transaction(next_step, NULL);
#endif
    printf("%d %s\n", stepped->steps, result);
    fflush(stdout);
  }
#ifndef PLAIN
  return perdure_pool_close(pool);
#endif
}

#endif
