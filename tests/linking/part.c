#include <stdlib.h>

#include "program.h"

// This file has no transactions, and others come to its functions by way of pointers only, but for two.
static void drop(void* block) { free(block); }
void (*dropper)(void*) = drop;
void (*direct_dropper)(void*) = free;
void* (*maker)(size_t) = malloc;

void release(void* block) { free(block); }

uint64_t in_c(struct Shared* shared) {
  shared->real += 1;
  shared->precise += 2;
  return (uint64_t)shared->real;
}
